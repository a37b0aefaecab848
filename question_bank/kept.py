"""What is read once and remembered."""

from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

MOST = 1024


class Kept(dict[Key, Value]):
    """A dict that forgets everything rather than grow beyond ``MOST``.

    Another thread may make it forget at any moment, so nobody counts on an entry.
    """

    def __setitem__(self, key: Key, value: Value) -> None:
        if len(self) >= MOST:
            self.clear()
        super().__setitem__(key, value)
