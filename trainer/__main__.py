"""``python -m trainer {train,bench,preflight,index,report,contract,guard}``."""

from __future__ import annotations

from trainer.cli import main

if __name__ == "__main__":
    main()
