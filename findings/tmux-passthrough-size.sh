#!/bin/bash
# tmux drops an image of more than a megabyte that is passed through, without a word
#
# With `allow-passthrough on`, tmux hands an escape sequence that is wrapped in
# "\ePtmux;" to the terminal unread. That is how Sixel, iTerm2's and kitty's graphics
# get through a tmux that knows none of them. Its manual names no limit. tmux 3.3a
# collects the sequence in a buffer of one megabyte, and throws all of it away if it is
# longer: nothing is shown, there is no error, and the text after it is shown as usual.
# Terminals read much longer sequences outside tmux, and a Sixel image that fills a
# window can have several megabytes. So whether an image appears depends on its size and
# on its number of colours. A good guess is that a sequence is passed on as it arrives,
# or cut off at worst. A program that sends images through tmux has to split them into
# many sequences, which kitty's protocol permits and Sixel does not.
#
# Seen with tmux 3.3a (Debian 12's 3.3a-3), for one Sixel sequence in passthrough:
#   1040000 bytes of pixels: 1040000 arrive at the terminal, and the text behind them
#   1060000 bytes of pixels: 0 arrive at the terminal, and the text behind them
#   1060000 bytes of pixels in two sequences: 1060000 arrive at the terminal, and the text behind them
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
version=$(dpkg-query -W -f '${Version}' tmux)
echo "tmux $version"
[[ $version == 3.3a-3* ]] || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset TMUX
cd "$work"
python3 - <<'PY'
import fcntl, os, pty, select, struct, subprocess, sys, termios, time

PIXEL, TEXT = b"~", b"behind"

def passthrough(pixels):
    sixel = b"\x1bPq#0;2;100;0;0#0" + PIXEL * pixels + b"\x1b\\"
    return b"\x1bPtmux;" + sixel.replace(b"\x1b", b"\x1b\x1b") + b"\x1b\\"

def shown(output):
    """What the terminal gets from a tmux in which a program writes these bytes."""
    with open("output", "wb") as file:
        file.write(output + TEXT)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 800, 480))
    # tmux ends with the program, which waits until its output has been handled.
    process = subprocess.Popen(
        ["tmux", "-S", "socket", "-f", "conf", "new-session", "cat output; sleep 1"], stdin=theirs, stdout=theirs,
        stderr=theirs, env=dict(os.environ, TERM="xterm-256color"), start_new_session=True)
    os.close(theirs)
    received, end = bytearray(), time.monotonic() + 15
    while time.monotonic() < end and select.select([ours], [], [], end - time.monotonic())[0]:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:
            break
        if not part:
            break
        received += part
    if process.poll() is None:
        subprocess.run(["tmux", "-S", "socket", "kill-server"], check=False)
    process.wait()
    os.close(ours)
    return received.count(PIXEL), TEXT in received

with open("conf", "w") as file:
    file.write("set -g allow-passthrough on\nset -g status off\n")
as_described = True
for pixels, parts, arriving in ((1_040_000, 1, 1_040_000), (1_060_000, 1, 0), (1_060_000, 2, 1_060_000)):
    arrived, text = shown(passthrough(pixels // parts) * parts)
    print(f"{pixels} bytes of pixels{' in two sequences' if parts == 2 else ''}: {arrived} arrive at the terminal,",
          "and the text behind them" if text else "without the text behind them")
    as_described &= arrived == arriving and text
sys.exit(0 if as_described else 1)
PY
