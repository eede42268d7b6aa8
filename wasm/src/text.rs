//! Dates, timestamps, decimals and numbers as text, in the forms of Delta's log: partition values (`PROTOCOL.md`,
//! "Partition Value Serialization") and statistics. Everything is exact; what does not parse is none.

const MICROS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;
pub const MICROS_PER_DAY: i64 = SECONDS_PER_DAY * MICROS_PER_SECOND;

/// Days since 1970-01-01 of a proleptic Gregorian date.
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (i64::from(month) + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day of a day number.
pub fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 } as u32;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

struct Scanner<'a>(&'a [u8]);

impl Scanner<'_> {
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.0.first() == Some(&byte);
        if found {
            self.0 = &self.0[1..];
        }
        found
    }

    /// A number of `min` to `max` digits.
    fn digits(&mut self, min: usize, max: usize) -> Option<i64> {
        let count = self.0.iter().take(max).take_while(|byte| byte.is_ascii_digit()).count();
        if count < min {
            return None;
        }
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        Some(digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
    }

    fn date(&mut self) -> Option<i64> {
        let negative = self.eat(b'-');
        if !negative {
            self.eat(b'+');
        }
        let year = self.digits(4, 6)?;
        let (dash, month) = (self.eat(b'-'), self.digits(1, 2)?);
        let (second_dash, day) = (self.eat(b'-'), self.digits(1, 2)?);
        if !dash || !second_dash || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        let year = if negative { -year } else { year };
        let days = days_from_civil(year, month as u32, day as u32);
        (civil_from_days(days) == (year, month as u32, day as u32)).then_some(days)
    }

    /// Microseconds within a day.
    fn time(&mut self) -> Option<i64> {
        let hour = self.digits(1, 2)?;
        let minute = if self.eat(b':') { self.digits(1, 2)? } else { return None };
        let second = if self.eat(b':') { self.digits(1, 2)? } else { 0 };
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let mut micros = 0;
        if self.eat(b'.') {
            let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if count == 0 {
                return None;
            }
            // Digits beyond microseconds are cut off.
            micros = (0..6).fold(0, |value, at| {
                value * 10 + if at < count { i64::from(self.0[at] - b'0') } else { 0 }
            });
            self.0 = &self.0[count..];
        }
        Some(((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND + micros)
    }

    /// Offset of a zone in seconds; none where there is no zone.
    fn zone(&mut self) -> Option<Option<i64>> {
        if self.0.is_empty() {
            return Some(None);
        }
        if self.eat(b'Z') || self.eat(b'z') {
            return Some(Some(0));
        }
        let sign = match (self.eat(b'+'), self.eat(b'-')) {
            (true, _) => 1,
            (_, true) => -1,
            _ => return None,
        };
        let hours = self.digits(2, 2)?;
        self.eat(b':');
        let minutes = if self.0.is_empty() { 0 } else { self.digits(2, 2)? };
        let seconds = if self.eat(b':') { self.digits(2, 2)? } else { 0 };
        (hours <= 18 && minutes <= 59 && seconds <= 59).then_some(Some(sign * ((hours * 60 + minutes) * 60 + seconds)))
    }
}

/// `YYYY-MM-DD` as days since 1970-01-01.
pub fn parse_date(text: &str) -> Option<i32> {
    let mut scanner = Scanner(text.trim().as_bytes());
    let days = scanner.date()?;
    // A timestamp's text gives its date.
    if !scanner.0.is_empty() && !matches!(scanner.0[0], b' ' | b'T') {
        return None;
    }
    i32::try_from(days).ok()
}

/// A timestamp as microseconds since the epoch: space or `T` between date and time, up to six fraction digits, with
/// `Z`, an offset, or no zone (then UTC). A date alone is its midnight. `zoned: false` refuses a zone.
pub fn parse_timestamp(text: &str, zoned: bool) -> Option<i64> {
    let mut scanner = Scanner(text.trim().as_bytes());
    let days = scanner.date()?;
    let mut micros = days.checked_mul(MICROS_PER_DAY)?;
    if scanner.0.is_empty() {
        return Some(micros);
    }
    if !scanner.eat(b' ') && !scanner.eat(b'T') {
        return None;
    }
    micros = micros.checked_add(scanner.time()?)?;
    scanner.eat(b' ');
    let offset = scanner.zone()?;
    if !scanner.0.is_empty() || (offset.is_some() && !zoned) {
        return None;
    }
    micros.checked_sub(offset.unwrap_or(0) * MICROS_PER_SECOND)
}

/// A decimal number, plain or with exponent, as the unscaled value at `scale`; none where digits would be lost or the
/// precision is exceeded.
pub fn parse_decimal(text: &str, precision: u8, scale: i8) -> Option<i128> {
    let text = text.trim();
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (negative, digits) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value: i128 = 0;
    for byte in whole.bytes().chain(fraction.bytes()) {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(i128::from(byte - b'0'))?;
    }
    let shift = i32::from(scale).checked_add(exponent)?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    if value != 0 {
        if shift >= 0 {
            value = value.checked_mul(10_i128.checked_pow(shift as u32)?)?;
        } else {
            let factor = 10_i128.checked_pow(shift.unsigned_abs())?;
            if value % factor != 0 {
                return None;
            }
            value /= factor;
        }
    }
    (value < 10_i128.pow(u32::from(precision))).then_some(if negative { -value } else { value })
}

/// A float, with the names that Spark and Java write.
pub fn parse_float(text: &str) -> Option<f64> {
    match text.trim() {
        "NaN" => Some(f64::NAN),
        "Infinity" | "+Infinity" | "Inf" => Some(f64::INFINITY),
        "-Infinity" | "-Inf" => Some(f64::NEG_INFINITY),
        // Rust's own names are no numbers of the log.
        number if number.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E')) => {
            number.parse().ok()
        }
        _ => None,
    }
}

/// `YYYY-MM-DD`; years beyond four digits with a sign.
pub fn format_date(days: i32) -> String {
    let (year, month, day) = civil_from_days(i64::from(days));
    let year = if (0..=9999).contains(&year) { format!("{year:04}") } else { format!("{year:+05}") };
    format!("{year}-{month:02}-{day:02}")
}

/// `YYYY-MM-DDTHH:MM:SS` and `digits` fraction digits, floored.
pub fn format_timestamp(micros: i64, separator: char, digits: usize) -> String {
    let days = micros.div_euclid(MICROS_PER_DAY);
    let within = micros.rem_euclid(MICROS_PER_DAY);
    let seconds = within / MICROS_PER_SECOND;
    let fraction = format!("{:06}", within % MICROS_PER_SECOND);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let date = format_date(days as i32);
    format!("{date}{separator}{hour:02}:{minute:02}:{second:02}.{}", &fraction[..digits.min(6)])
}

/// An unscaled value with its point.
pub fn format_decimal(value: i128, scale: i8) -> String {
    if scale <= 0 {
        return value.to_string();
    }
    let scale = scale as usize;
    let digits = format!("{:0>width$}", value.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    format!("{}{whole}.{fraction}", if value < 0 { "-" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_proleptic_gregorian() {
        assert_eq!(parse_date("1970-01-01"), Some(0));
        assert_eq!(parse_date("2000-02-29"), Some(11_016));
        assert_eq!(parse_date("1969-12-31"), Some(-1));
        assert_eq!(parse_date("2001-02-29"), None);
        assert_eq!(parse_date("0000-00-00"), None);
        assert_eq!(format_date(-719_162), "0001-01-01");
    }

    #[test]
    fn timestamps_take_every_form_of_the_log() {
        let micros = 1_631_099_471_000_000;
        assert_eq!(parse_timestamp("2021-09-08 11:11:11", true), Some(micros));
        assert_eq!(parse_timestamp("2021-09-08T11:11:11.000Z", true), Some(micros));
        assert_eq!(parse_timestamp("2021-09-08T04:11:11-07:00", true), Some(micros));
        assert_eq!(parse_timestamp("2021-09-08T16:41:11+0530", true), Some(micros));
        assert_eq!(parse_timestamp("2021-09-08T11:11:11.123456", false), Some(micros + 123_456));
        assert_eq!(parse_timestamp("2021-09-08T11:11:11Z", false), None);
        assert_eq!(parse_timestamp("1969-12-31 23:59:59.999999", true), Some(-1));
        assert_eq!(parse_timestamp("+48690-07-02T22:50:38.211Z", true), Some(1_474_356_639_038_211_000));
        assert_eq!(format_timestamp(-1, 'T', 3), "1969-12-31T23:59:59.999");
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(parse_decimal("1.5", 10, 2), Some(150));
        assert_eq!(parse_decimal("-0.01", 10, 2), Some(-1));
        assert_eq!(parse_decimal("1E+2", 10, 2), Some(10_000));
        assert_eq!(parse_decimal("1.005", 10, 2), None);
        assert_eq!(parse_decimal("123456789.00", 10, 2), None);
        assert_eq!(format_decimal(-1, 2), "-0.01");
    }
}
