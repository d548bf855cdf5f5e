"""For every test: what it starts hears Ctrl-C, also where a shell started the run in the back."""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
