"""What does `python -m stilltrue` do? The same as the command `stilltrue`."""

from stilltrue.faces.cli import main

if __name__ == "__main__":
    main()
