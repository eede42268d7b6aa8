import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  name: string;
  hint?: string;
  placeholder?: string;
  required?: boolean;
  value?: string;
}

/** A line of text with its label above. */
export function TextField(props: FieldProps & { isSecret?: boolean }) {
  const { label, hint, isSecret, ...rest } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        class={isSecret ? 'secret' : undefined}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        {...rest}
      />
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/**
 * A field for a key or a token. Not of type `password`: browsers offer to keep those, and what is typed here is to stay
 * nowhere. The style hides its characters.
 */
export function SecretField(props: FieldProps) {
  return <TextField {...props} isSecret />;
}

/** The address of a server in a form's field, https where it has no scheme. */
export function addressOf(form: FormData, name: string): string | undefined {
  const text = textOf(form, name);
  return text === undefined || /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
}

/** The trimmed text of a form's field, undefined where it is empty. */
export function textOf(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}
