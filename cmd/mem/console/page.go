package console

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mem/render"
)

// PageData is what a page shows of a memory.
type PageData struct {
	Name    string       // of the project
	Week    []string     // what the last seven days brought, a line each
	Waits   []render.Row // proposals, the most important first
	Folded  string       // what is said of proposals that are not listed
	Lessons []render.Row // the best of those that sessions are shown, or of those that fit the search
	More    int          // how many lessons are not listed
}

// A Page is what bare mem shows on a terminal: its content, what a key changes, and how it looks. It is pure: it reads
// neither keys nor memory, and returns a Wish for a key that needs more. Colour, Width and Height describe the terminal.
type Page struct {
	Colour        bool
	Width, Height int

	data    PageData
	at      int      // the chosen row, of rows
	query   string   // what is searched for
	typing  bool     // keys are the text of a search
	opened  string   // a text that covers the lists; "" for none
	top     int      // its first line on the screen
	said    string   // what happened last
	skipped []string // ids of proposals that are not for now
}

// A Wish is an action that a key asks for and that the page cannot do itself.
type Wish struct {
	Do   string // "show", "search", "approve", "reject", "edit", "pin", "unpin", "retire", "undo" or "quit"; "" for nothing
	What string // the id of what it is about, or the text of a search
}

// Take puts data into the page, if there is any, and says in a line what happened. The chosen row stays chosen.
func (p Page) Take(d *PageData, said string) Page {
	id := p.chosen().ID
	if p.said = said; d != nil {
		p.data = *d
	}
	rows := p.rows()
	if at := slices.IndexFunc(rows, func(r render.Row) bool { return r.ID == id }); at >= 0 {
		p.at = at
	}
	p.at = max(0, min(p.at, len(rows)-1))
	return p
}

// Open covers the lists with a text.
func (p Page) Open(text string) Page {
	p.opened, p.top = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\t", "    "), 0
	return p
}

func (p *Page) isSearch() bool { return p.typing || p.query != "" }

func (p *Page) waits() []render.Row {
	if p.isSearch() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.data.Waits), func(r render.Row) bool { return slices.Contains(p.skipped, r.ID) })
}

func (p *Page) rows() []render.Row { return append(p.waits(), p.data.Lessons...) }

func (p *Page) chosen() render.Row {
	if rows := p.rows(); p.at < len(rows) {
		return rows[p.at]
	}
	return render.Row{}
}

// Press returns the page after a key, and what it asks for. A key is a character or one of up, down, left, right, pgup,
// pgdn, home, end, enter, esc, backspace and ctrl-c. Where lines are typed it is a line, with its end.
func (p Page) Press(key string) (Page, Wish) {
	line, isLine := strings.CutSuffix(key, "\n")
	text, isSearch := strings.CutPrefix(strings.TrimSpace(line), "/")
	switch p.said = ""; {
	case isLine && (p.typing || isSearch && text != ""):
		return p.search(text, false)
	case isLine && text == "" && !isSearch:
		key = "enter"
	case isLine:
		key = strings.TrimSpace(line)
	}
	switch {
	case key == "ctrl-c":
		return p, Wish{Do: "quit"}
	case p.typing:
		return p.edit(key)
	case p.opened != "" && step(key, &p.top, len(p.wrapOpened())-p.room(), p.room()-1), p.opened == "" && p.move(key):
		return p, Wish{}
	}
	return p.command(key)
}

func (p Page) edit(key string) (Page, Wish) {
	switch _, size := utf8.DecodeLastRuneInString(p.query); {
	case key == "esc":
		return p.search("", false)
	case key == "enter":
		p.typing = false
	case key == "backspace":
		return p.search(p.query[:len(p.query)-size], true)
	case utf8.RuneCountInString(key) == 1:
		return p.search(p.query+key, true)
	default:
		p.move(key)
	}
	return p, Wish{}
}

// search asks for what fits a text.
func (p Page) search(text string, typing bool) (Page, Wish) {
	p.query, p.typing, p.opened, p.at = text, typing, "", 0
	return p, Wish{"search", text}
}

// move chooses another row, if the key does that.
func (p *Page) move(key string) bool { return step(key, &p.at, len(p.rows())-1, p.room()-2) }

// step moves a place to another one, up to the last, if the key does that.
func step(key string, at *int, last, page int) bool {
	to := *at
	switch key {
	case "up", "k":
		to--
	case "down", "j":
		to++
	case "pgup":
		to -= max(1, page)
	case "pgdn", " ":
		to += max(1, page)
	case "home", "g":
		to = 0
	case "end", "G":
		to = last
	default:
		return false
	}
	*at = max(0, min(to, last))
	return true
}

// What keys ask for, of a proposal and of a lesson.
var (
	proposalKeys = map[string]string{"a": "approve", "y": "approve", "r": "reject", "n": "reject", "e": "edit", "s": "skip"}
	lessonKeys   = map[string]string{"p": "pin", "x": "retire"}
)

// command does what a key means for the chosen row.
func (p Page) command(key string) (Page, Wish) {
	row, isWaiting, wasOpen := p.chosen(), p.at < len(p.waits()), p.opened != ""
	do := map[bool]map[string]string{true: proposalKeys, false: lessonKeys}[isWaiting][key]
	switch p.opened = ""; {
	case do == "skip":
		p.skipped = append(slices.Clip(p.skipped), row.ID)
		return p.Take(nil, "skipped "+row.ID+": it still waits when you come back"), Wish{}
	case do == "pin" && row.Marks != "":
		return p, Wish{"unpin", row.ID}
	case do != "" && row.ID != "":
		return p, Wish{do, row.ID}
	case key == "u":
		return p, Wish{Do: "undo"}
	case key == "/":
		return p.search("", true)
	case key == "?":
		return p.Open(keyHelp), Wish{}
	case wasOpen && slices.Contains([]string{"q", "esc", "left", "enter", "backspace"}, key):
	case key == "q":
		return p, Wish{Do: "quit"}
	case key == "esc" && p.query != "":
		return p.search("", false)
	case (key == "enter" || key == "right") && row.ID != "":
		return p, Wish{"show", row.ID}
	case proposalKeys[key]+lessonKeys[key] != "":
		p.said = "a, r, e and s are for proposals, p and x for lessons"
	default:
		p.said = "? shows the keys"
	}
	return p, Wish{}
}
