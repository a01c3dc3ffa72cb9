#!/usr/bin/env python3
"""Records what a terminal shows, as an animated SVG without scripts.

usage: record.py OUT.svg COLSxROWS STEPS COMMAND...

It runs COMMAND in tmux and does what each line of the file STEPS says:

    type TEXT     type it, without return
    key NAME      press a key, by tmux's name: Enter, Down, C-c
    until TEXT    wait until TEXT is shown
    wait SECONDS  show what there is for so long
    cut           leave out of the recording what was shown so far
"""
import html, re, subprocess, sys, time

NAME = "record"
COLOURS = ["#3b4252", "#bf616a", "#a3be8c", "#ebcb8b", "#81a1c1", "#b48ead", "#88c0d0", "#e5e9f0"]
CELL, LINE = 8.4, 18


def tmux(*args):
    return subprocess.run(["tmux", "-L", NAME, *args], check=True, capture_output=True, text=True).stdout


def colour(codes):
    """The fill of a 38;5;N or 38;2;R;G;B; the rest of the codes."""
    if codes[:1] == [2]:
        return "#%02x%02x%02x" % tuple(codes[1:4]), codes[4:]
    n = codes[1]
    if n < 16:
        return COLOURS[n % 8], codes[2:]
    if n > 231:
        return "#%02x%02x%02x" % ((8 + (n - 232) * 10,) * 3), codes[2:]
    n -= 16
    return "#%02x%02x%02x" % tuple(v and 55 + 40 * v for v in (n // 36, n // 6 % 6, n % 6)), codes[2:]


def spans(line):
    """The runs of a captured line, each with its look."""
    look, at = {}, 0
    for escape in list(re.finditer(r"\x1b\[([0-9;]*)m", line)) + [None]:
        text = line[at:escape.start() if escape else None]
        if text:
            yield dict(look), text
        if not escape:
            return
        at = escape.end()
        codes = [int(c or 0) for c in escape[1].split(";")]
        while codes:
            c, codes = codes[0], codes[1:]
            if c == 0:
                look = {}
            elif c == 1:
                look["font-weight"] = "bold"
            elif c == 2:
                look["opacity"] = ".6"
            elif c == 22:
                look.pop("font-weight", None), look.pop("opacity", None)
            elif 30 <= c <= 37 or 90 <= c <= 97:
                look["fill"] = COLOURS[c % 10]
            elif c == 39:
                look.pop("fill", None)
            elif c in (38, 48):
                fill, codes = colour(codes)
                if c == 38:
                    look["fill"] = fill


def picture(line, y):
    parts, x = [], 0
    for look, text in spans(re.sub(r"\x1b\]8;[^\x1b\x07]*(\x1b\\|\x07)|\x1b\([AB0]", "", line)):
        if text.strip():
            style = "".join(f' {k}="{v}"' for k, v in look.items())
            parts.append(f'<text x="{12 + x * CELL:.1f}" y="{30 + y * LINE}"{style}>{html.escape(text)}</text>')
        x += len(text)
    return "".join(parts)


def changes(frames, ended):
    """What each row shows from when till when."""
    for y in range(max(f.count("\n") for _, f in frames) + 1):
        begin, shown = frames[0][0], None
        for at, frame in frames + [(ended, None)]:
            lines = frame.split("\n") if frame is not None else []
            line = lines[y] if y < len(lines) else ""
            if frame is None or line != shown:
                if shown:
                    yield y, begin, at, shown
                begin, shown = at, line


def main():
    out, size, steps, command = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    cols, rows = size.split("x")
    subprocess.run(["tmux", "-L", NAME, "kill-server"], capture_output=True)
    tmux("new-session", "-d", "-s", NAME, "-x", cols, "-y", rows, *command)
    frames = []  # when it began, and what was shown

    def look():
        now = tmux("capture-pane", "-e", "-p", "-t", NAME).rstrip("\n")
        if not frames or frames[-1][1] != now:
            frames.append((time.time(), now))
        return re.sub(r"\x1b\[[0-9;]*m", "", now)

    for step in open(steps):
        what, _, text = step.rstrip("\n").partition(" ")
        if what == "type":
            for c in text:
                tmux("send-keys", "-t", NAME, "-l", c)
                time.sleep(.05)
                look()
        elif what == "key":
            tmux("send-keys", "-t", NAME, text)
        elif what == "until":
            end = time.time() + 60
            while text not in look():
                if time.time() > end:
                    sys.exit(f"{text!r} is not shown:\n{look()}")
                time.sleep(.1)
        elif what == "wait":
            end = time.time() + float(text)
            while time.time() < end:
                look()
                time.sleep(.1)
        elif what == "cut":
            frames = [(time.time(), frames[-1][1])]
    ended = time.time()
    tmux("kill-server")
    whole = ended - frames[0][0]
    width, height = 24 + int(cols) * CELL, 40 + int(rows) * LINE
    style, body = [], []
    for i, (y, begin, end, line) in enumerate(changes(frames, ended)):
        a, b = (100 * (t - frames[0][0]) / whole for t in (begin, end))
        last = end == ended
        style.append(f"@keyframes k{i}{{0%,{a:.2f}%{{visibility:hidden}}{min(a + .01, 100):.2f}%,{b:.2f}%{{visibility:visible}}" +
                     ("" if last else f"{min(b + .01, 100):.2f}%,100%{{visibility:hidden}}") + "}")
        style.append(f"#g{i}{{animation:k{i} {whole:.1f}s infinite;visibility:{'visible' if last else 'hidden'}}}")
        body.append(f'<g id="g{i}">{picture(line, y)}</g>')
    with open(out, "w") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">\n'
                f'<title>A recording of a terminal</title>\n<style>text{{font:14px ui-monospace,Menlo,Consolas,monospace;white-space:pre}}svg{{fill:#d8dee9}}\n'
                + "\n".join(style) + "\n@media (prefers-reduced-motion:reduce){g{animation:none!important}}</style>\n"
                f'<rect width="100%" height="100%" rx="8" fill="#1e222a"/>\n' + "\n".join(body) + "\n</svg>\n")


main()
