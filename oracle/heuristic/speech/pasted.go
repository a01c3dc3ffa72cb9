package speech

import (
	"strings"

	"mem/lazy"
)

// SplitPasted separates what a person typed from what they pasted: the words of
// others are not the person's, however they ask.
//
// What stands between marks (a fence, a tag, quotes) is cut out first. Then a line is read for what it says of the lines
// after it: programs print to the end of a paragraph, documents and chats fill the rest of the message, and so does what
// a person announces or asks about. Only running prose is left. In doubt a line is not the person's: a wrong lesson costs
// more than a missed one.
func SplitPasted(text string) (own, pasted string) {
	var p parting
	p.left = reBlock.Get().ReplaceAllStringFunc(text, func(s string) string {
		if s[0] == '`' && s[1] != '`' {
			return s // it has quotes of its own
		}
		p.others.WriteString(s + "\n")
		return blockMark
	})
	if reFooter.Matches(p.left) {
		return "", strings.TrimSpace(text) // all of it is a page or a letter
	}
	for p.left != "" {
		p.readLine()
	}
	return strings.TrimSpace(p.own.String()), strings.TrimSpace(p.others.String())
}

// A parting is a prompt on its way to be parted.
type parting struct {
	own, others strings.Builder
	left        string // the lines after the one that is read
	paragraph   bool   // the rest of this paragraph is pasted
	rest        bool   // all the rest is
}

const (
	blockMark = "\x00"  // stands where a block was
	maxLine   = 1200    // the longest line that a person types
	maxTyped  = 4 << 10 // and the longest prompt
)

// readLine gives the next line to whom it belongs.
func (p *parting) readLine() {
	p.rest = p.rest || p.own.Len() > maxTyped || reDocument.Matches(headOf(p.left)) || p.own.Len() > 0 && reGreeting.Matches(headOf(p.left))
	if p.rest {
		p.others.WriteString(p.left)
		p.left = ""
		return
	}
	var l string
	l, p.left, _ = strings.Cut(p.left, "\n")
	t := strings.TrimSpace(l)
	p.paragraph = t != "" && !strings.HasPrefix(t, blockMark) && (p.paragraph || rePrinted.Matches(t))
	if p.paragraph || reSetOff.Matches(l) || len(l) > maxLine {
		p.others.WriteString(l + "\n")
		return
	}
	for said, more := cutSentence(t); ; said, more = cutSentence(more) {
		p.readSentence(said, more)
		if p.rest || p.paragraph || more == "" {
			p.others.WriteString(more + "\n")
			break
		}
	}
	p.own.WriteString("\n")
	p.rest = p.rest || p.isTitle(t)
}

// headOf returns a text up to the end of its second line that is not blank: no expression looks further.
func headOf(s string) string {
	end := 0
	for lines := 0; lines < 2 && end < len(s); {
		l, _, _ := strings.Cut(s[end:], "\n")
		if end = min(end+len(l)+1, len(s)); strings.TrimSpace(l) != "" {
			lines++
		}
	}
	return s[:end]
}

// readSentence gives a sentence to whom it belongs; more is the rest of its line.
func (p *parting) readSentence(s, more string) {
	marked := reSetOff.Matches(headOf(p.left)) // what comes next shows where it ends
	asked := dropPolite(strings.TrimRight(s, " .?!:"))
	if i := foreignHead(s); strings.Contains(s, blockMark) {
		p.others.WriteString(s + "\n")
		return
	} else if i > 0 {
		p.others.WriteString(s[i:] + " ")
		s, more = s[:i], s[i:]+more
		p.paragraph = strings.TrimSpace(more) != ""
		p.rest = !p.paragraph && !marked || p.paragraph && len(strings.Fields(s)) < 4
	} else if has(asked, "asks") {
		follows := len(strings.Fields(more + " " + p.left))
		if follows < 5 && has(asked, "back") {
			p.others.WriteString(p.own.String())
			p.own.Reset()
		}
		p.rest = follows > 0 && !marked
	}
	p.own.WriteString(s + " ")
}

// isTitle reports whether a line without a closing mark announces the lines after it.
func (p *parting) isTitle(t string) bool {
	above := t + "\n" + headOf(p.left)
	return reTitle.Matches(above) && !reBullet.Matches(t) && !isOwnHead(t) && (reStands.Matches(above) || has(t, "voice") || has(t, "text"))
}

// foreignHead returns where in a sentence the words of others begin, mostly behind a colon; 0 if nowhere.
func foreignHead(s string) int {
	from, code := 0, 0
	for _, at := range reColon.Get().FindAllStringIndex(s, -1) {
		if s[at[0]] != ':' {
			code = at[1]
			continue
		} else if at[0] > code && !isOwnHead(s[from:at[0]]) { // right behind code it leads to what that is about
			return at[0] + 1
		}
		from = at[1]
	}
	if at := reCited.Get().FindStringSubmatchIndex(s); at != nil {
		return max(at[3], at[5])
	}
	return 0
}

// isOwnHead reports whether what stands before a colon, or above other lines, says
// that a person's own words follow. A label says nothing of the kind.
func isOwnHead(head string) bool {
	head = strings.TrimSpace(reBullet.Get().ReplaceAllString(strings.TrimSpace(head), ""))
	for _, k := range []string{"mine", "voice", "says", "text", "talk"} {
		if has(head, k) {
			return k != "voice" && k != "text"
		}
	}
	return head == "" || find(lower(head)+":", "opener", "fact", "do", "avoid", "note", "polite").end > 0
}

var (
	// reBlock matches fences, commands, tags, what stands between lines such as "--- BEGIN X ---" and "--- END X ---",
	// what follows a client's mark of pasted text, and four words and more in quotes: fewer name a thing.
	reBlock = lazy.New("(?s:```.*?(?:```|$)|~~~.*?(?:~~~|$))|`[^`\n]+`|" +
		`(?is:<[a-z][\w-]*(?:[\s=:][^>]*)?>.*</[a-z][\w-]*>|\[[a-z]+(?:=[^\]\n]*)?\].*\[/[a-z]+\])|` +
		`(?im)^\W{2,}\s*(?:begin|start)\b[^\n]*$[\s\S]*?(?:^\W{2,}\s*(?:end|stop)\b[^\n]*$|\z)|\[[^\]\n]*\b(?:pasted|attached|attachment|document|file)\b[^\]\n]*\][\s\S]*|` +
		`"[^\s"]+(?:[ \t]+[^\s"]+){3,}"|(?m:^"[^"]+"$)|“[^\s”]+(?:\s+[^\s”]+){3,}”|„[^\s“”]+(?:\s+[^\s“”]+){3,}[“”]|«\s*[^\s»]+(?:\s+[^\s»]+){3,}\s*»|»[^\s«]+(?:\s+[^\s«]+){3,}«|[‹「『][^›」』]+[›」』]|‘[^\s’]+(?:\s+[^‘\s]+){3,}’|\B'[^\s']+(?:[ \t]+\S+){3,}?'\B|''[^'\n]+''`)
	// reDocument matches where a text begins that fills the rest: the head of a
	// mail, a title, a prompt of a shell; a line that is underlined; who speaks, and when.
	reDocument = lazy.New(`(?im)\A[ \t]*(?:(?:from|to|subject|sent|date|reply-to|message-id|von|betreff|de|objet): |on .{6,80} wrote:$|begin forwarded message|diff --git |@@ -\d|commit [0-9a-f]{7,40}\b|traceback \(most recent|<[!/a-z]|#{1,6} |!?\[!?\[?\w[^\]]*\]\S*\(|(?:see |read |in )?@[\w./~-]+\.\w+:?$|\*\*|__|[*_~].*[*_~]$|[-*+] \[[ x]\]|dear |(?:\S*[@:~/]\S*)?[$#%❯➜](?: |$)|\w+> |>>> |ps [a-z]:|[a-z]:\\|in \[\d|[^\pL\pN_\s]{3,}.*\w.*[^\pL\pN_\s]{3,}$|[qa][.:] |(?:hi|hello|hey) (?:all|team|everyone|folks)\b|.*<<-?['"]?[a-z]+['"]?$|[^\n]*\n?(?:={3,}|-{3,}|~{3,}|\*{3,}|_{3,}|\+{3,}|\^{3,}|"{3,}|'{3,}|<{3,}.*|>{3,}.*|\.{3,}|(?:[*_-] ){2,}[*_-])$|` +
		`(?:\S+ +){0,7}?\S*?(?:\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?|\bago|\byesterday|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}(?:, \d{4})?)[\])*_]*:?\n[ \t]*[^\s])`)
	// rePrinted matches lines that programs print: prose begins with a letter, or
	// with what quotes, lists and names a thing.
	rePrinted = lazy.New(`^(?:[^\pL\pN\s"'\x60(\[@/*•.<~¿¡\x00-]|\[(?:[^I]|I[^m])|[-*]{2,}|//|/\*|\d+[:→│]|- ?\d+ |[\w.-]+ ?=[^=>]|at \S+\(|https?://\S+$|\S+:\d+:\d+|.{0,25}\b\d\d:\d\d:\d\d\b|[(<]?\d{1,4}[-:]\d\d\b|\S+ (?:APP )?\d{1,2}:\d\d|(?:npm|pnpm|yarn|bun) (?i:err|error|warn|notice|info)\S* |(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|FAIL|PASS)\b|Caused by|goroutine \d|@[\w.-]+:? |<\w+>)`)
	// reSetOff matches lines that are set off from prose: quotes, code, a block.
	reSetOff   = lazy.New(`\A(?:\t|    |\s*[>\x00]|\s*\x60[^\x60\n]{25,}\x60\s*(?:\n|$))`)
	reGreeting = lazy.New(`(?im)\A[ \t]*(?:hi|hello|hey|good (?:morning|day))\b[^.!?\n]{0,40}[,!]?$`)
	// reTitle matches a few words without a closing mark above a line that begins anew, and reStands a name above a
	// paragraph or a list.
	reTitle  = lazy.New(`\A(?:\S+ ){0,6}\S*[^\s.!?:,;]\n[ \t]*(?:[^\p{Ll}\s]|\n)`)
	reStands = lazy.New(`\A\p{Lu}.*\n[ \t]*(?:\n|[-*•]|\d+[.)])`)
	reColon  = lazy.New("`[^`]*`|:(?: |$)")
	reFooter = lazy.New(`(?im)^(?:©|\(c\)|copyright\b).*\d{4}|^all rights reserved|^(?:unsubscribe|privacy policy|terms of service|cookies?|sincerely|yours|(?:best|kind|warm) (?:regards|wishes)|regards|read more|sent from)\b.{0,20}$|^(?:cheers|best),$|^-- ?$`)
	// reCited matches, to its first group, what comes before the words of others.
	reCited = lazy.New(`(?i)^((?:according to|per|as per|quoting|citing)\b[^,:]{1,40},|(?:as|like)\b[^,:]{0,20}\b(?:docs?|readme|page|manual|wiki|guide|handbook|article|post)\b[^,:]{0,20},)|^(.{1,40}\b(?:says|states|reads|wrote|said) (?:that )?)(?-i:[A-Z])`)
)
