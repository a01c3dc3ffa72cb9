package console

import (
	"context"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// RunScreen shows a page until press returns true, or ctx ends. draw returns its lines for a terminal size,
// press handles a key, and tick runs each second. While press runs lend, another program has the terminal in
// its original state. That state is restored at the end, even after a panic.
func (e Env) RunScreen(ctx context.Context, draw func(width, height int) string, press func(key string, lend func(func())) bool, tick func()) error {
	s := &screen{in: terminalOf(e.In), out: terminalOf(e.Out), wanted: make(chan struct{}, 1), read: make(chan []byte)}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	go s.readKeys()
	defer close(s.wanted)
	resized, ticks := make(chan os.Signal, 1), time.Tick(time.Second)
	notifyResize(resized)
	for !s.isOver {
		s.draw(draw)
		if !s.asked {
			s.asked = true
			s.wanted <- struct{}{}
		}
		select {
		case data, ok := <-s.read:
			s.asked, s.isOver = false, !ok
			for _, key := range parseKeys(data) {
				if press(key, s.lend) {
					return nil
				}
			}
		case <-resized:
			s.shown = ""
		case <-ticks:
			tick() // what it changed is drawn
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// A screen is a terminal that shows a page.
type screen struct {
	in, out *os.File
	before  *term.State
	shown   string        // what is on it
	wanted  chan struct{} // asks for one more read: none is under way while another program reads
	asked   bool          // one is under way
	read    chan []byte
	isOver  bool // the terminal is gone
}

// enter opens another screen without a cursor, on which each key counts at once.
func (s *screen) enter() error {
	before, err := term.MakeRaw(int(s.in.Fd()))
	if err == nil {
		s.before, s.shown = before, ""
		_, err = s.out.WriteString("\x1b[?1049h\x1b[?25l")
	}
	return err
}

func (s *screen) leave() {
	_, _ = s.out.WriteString("\x1b[?25h\x1b[?1049l")
	_ = term.Restore(int(s.in.Fd()), s.before)
}

func (s *screen) lend(f func()) {
	s.leave()
	defer func() { s.isOver = s.enter() != nil }()
	f()
}

// draw puts what there is to see on the terminal, over what was there.
func (s *screen) draw(draw func(width, height int) string) {
	width, height, err := term.GetSize(int(s.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	if now := draw(width, height); now != s.shown {
		_, _ = s.out.WriteString("\x1b[H" + strings.ReplaceAll(now, "\n", "\x1b[K\r\n") + "\x1b[K\x1b[J")
		s.shown = now
	}
}

// readKeys reads once for each time that it is asked to.
func (s *screen) readKeys() {
	defer close(s.read)
	for range s.wanted {
		buf := make([]byte, 1024)
		n, err := s.in.Read(buf)
		if err != nil {
			return
		}
		s.read <- buf[:n]
	}
}

// sequences are the names of the keys that a terminal sends as several bytes behind an escape.
var sequences = map[string]string{
	"[A": "up", "[B": "down", "[C": "right", "[D": "left", "OA": "up", "OB": "down", "OC": "right", "OD": "left",
	"[5~": "pgup", "[6~": "pgdn", "[H": "home", "[F": "end", "OH": "home", "OF": "end", "[1~": "home", "[4~": "end", "[7~": "home", "[8~": "end",
}

// controls are the names of the keys that are one byte.
var controls = map[byte]string{'\r': "enter", '\n': "enter", '\t': "tab", 0x7f: "backspace", '\b': "backspace", 3: "ctrl-c"}

// parseKeys returns the keys that a terminal sent at once: characters, and the names of other keys. What is not known is
// left out.
func parseKeys(data []byte) (keys []string) {
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		name := controls[data[0]]
		switch {
		case data[0] == 0x1b:
			if size = escapeLength(data); size == 1 {
				name = "esc"
			} else {
				name = sequences[string(data[1:size])]
			}
		case name == "" && r != utf8.RuneError && unicode.IsPrint(r):
			name = string(r)
		}
		if data = data[size:]; name != "" {
			keys = append(keys, name)
		}
	}
	return keys
}

// escapeLength returns how many bytes belong to the key that begins with an escape.
func escapeLength(data []byte) int {
	if len(data) < 3 || data[1] != '[' && data[1] != 'O' {
		return 1
	}
	for i, c := range data[2:] {
		if c >= 0x40 && c <= 0x7e {
			return i + 3
		}
	}
	return len(data)
}
