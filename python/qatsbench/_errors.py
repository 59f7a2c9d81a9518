"""The exceptions and the warning of the package."""


class Error(Exception):
    """What the program reports. ``code`` is a word for the kind of the error, ``where`` the
    place (an argument, a row and a class, a file with line and column) and ``hint`` what to
    do; both may be empty."""

    def __init__(self, what, *, code="failed", where="", hint=""):
        super().__init__(what, code, where, hint)
        self.what, self.code, self.where, self.hint = what, code, where, hint

    def __reduce__(self):
        return _rebuild, (type(self), self.what, self.code, self.where, self.hint)

    def __str__(self):
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}; {self.hint}" if self.hint else text


def _rebuild(kind, what, code, where, hint):
    return kind(what, code=code, where=where, hint=hint)


class InputError(Error, ValueError):
    """An array, an option or a name that cannot be used."""


class ProgramError(Error, RuntimeError):
    """The program is missing, has another version, or was killed."""


class CalibrationWarning(UserWarning):
    """What the program warns of: a bound, few rows, a score that became worse. ``kind`` is a
    word for it, and ``value`` a dict of what it says, with ``text``."""

    def __init__(self, text, *, kind="", value=None):
        super().__init__(text)
        self.kind, self.value = kind, dict(value or {})

    def __reduce__(self):
        return _rebuild_warning, (type(self), str(self), self.kind, self.value)


def _rebuild_warning(cls, text, kind, value):
    return cls(text, kind=kind, value=value)
