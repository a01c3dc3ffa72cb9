package speech

import (
	"strings"

	"mem/lazy"
)

// SplitPasted separates what a person typed from what they pasted: blocks of
// code, quotes, output, mails, pages. The words of others are not the person's,
// however they ask. What is announced ("I get this error:") reaches to the end,
// unless it stands in a block or a quote; in doubt a line is not the person's.
func SplitPasted(text string) (own, pasted string) {
	var mine, others strings.Builder
	drop := func(s string) string {
		others.WriteString(s + "\n")
		return "\n" + blockMark + "\n"
	}
	text = reFence.Get().ReplaceAllStringFunc(text, drop)
	text = reTag.Get().ReplaceAllStringFunc(text, drop)
	lines := strings.Split(text, "\n")
	foreign := false
	for i, l := range lines {
		t := strings.TrimSpace(l)
		foreign = foreign || reForeign.Matches(t)
		switch {
		case t == blockMark:
		case foreign, isPastedLine(l, t):
			others.WriteString(l + "\n")
		default:
			said, rest := cutQuoted(t)
			foreign = rest == "" && reAnnounces.Matches(said) && !reMyself.Matches(said) && !quotesNext(lines[i+1:])
			mine.WriteString(said + "\n")
			others.WriteString(rest + "\n")
		}
	}
	own, pasted = strings.TrimSpace(mine.String()), strings.TrimSpace(others.String())
	if first, rest, ok := strings.Cut(own, "\n"); ok && reFooter.Matches(own) {
		own, pasted = first, rest+"\n"+pasted // a page has one
	}
	if i := strings.LastIndexByte(own, '\n'); i >= 0 && reAbove.Matches(own[i+1:]) {
		own, pasted = own[i+1:], own[:i]+"\n"+pasted
	}
	return own, strings.TrimSpace(pasted)
}

// blockMark stands where a block was.
const blockMark = "\x00"

// isPastedLine reports whether a line, trimmed to t, is code, a quote or output.
func isPastedLine(l, t string) bool {
	return rePasted.Matches(t) || reLogged.Matches(t) || strings.HasPrefix(l, "\t") || strings.HasPrefix(l, "    ")
}

// quotesNext reports whether the next line that is not blank shows where
// the words of others end.
func quotesNext(lines []string) bool {
	for _, l := range lines {
		if t := strings.TrimSpace(l); t != "" {
			return t == blockMark || strings.HasPrefix(t, ">")
		}
	}
	return false
}

// cutQuoted cuts off what a line reports of the words of others: after "the
// linter says:", or in quotes.
func cutQuoted(t string) (said, reported string) {
	if at := reReported.Get().FindStringIndex(t); at != nil && !reMyself.Matches(t[:at[1]]) {
		return t[:at[1]], t[at[1]:]
	}
	return t, ""
}

const otherTexts = `errors?|warnings?|outputs?|logs?|stack ?trace|traces?|traceback|e-?mails?|mails?|messages?|(?:web ?)?pages?|sites?|articles?|posts?|blogs?|docs?|documentation|readme|manual|comments?|reviews?|issues?|tickets?|reports?|diffs?|patch|pull request|slack|discord|chat|threads?|conversations?|transcripts?|quotes?|snippets?|responses?|answers?|reply|replies|results?|letters?|story|advisory|changelog|announcement|tweets?`

const otherVoices = `says?|said|wrote|writes?|sent|sends?|gave me|gives me|shows?|showed|prints?|printed|returns?|returned|reports?|reported|complains?|told(?: me| us)?|tells(?: me| us)?|posted|pasted|copied|forwarded|suggests?|suggested|recommends?|recommended|claims?|claimed|states?|stated|reads?|mentions?|mentioned|answered|replied|found(?: this)?|got(?: this)?`

var (
	// reAnnounces matches a line after which the words of others follow.
	reAnnounces = lazy.New(`(?i)(?:\b(?:` + otherTexts + `|` + otherVoices + `|this)\b[^:.]{0,40}:$|^(?:please )?(?:summari[sz]e|translate|proofread|explain|analy[sz]e|review|reply|answer|read|check|look at)\b[^.]*:$)`)
	// reReported matches what stands on a line before the words of others.
	reReported = lazy.New(`(?i)(?:\b(?:` + otherVoices + `)\b(?: \w+){0,2}|\b(?:` + otherTexts + `)(?: \w+){0,2}):\s+|\b(?:` + otherVoices + `)\b(?: \w+){0,3},? ["'“‘]`)
	reMyself   = lazy.New(`(?i)\b(?:i|we)(?:'ve| have)? (?:already |just )?(?:said|say|told|wrote)\b|\b(?:no|remember|do|note|like|for) this\b`)
	// reForeign matches lines that only the texts of others have, to their end.
	reForeign = lazy.New(`^(?:(?:From|Subject|Sent|Reply-To|Message-ID|Von|Betreff|De|Objet): |On .{6,80} wrote:$|-{3,} ?(?:Original|Forwarded|Begin forwarded)|Begin forwarded message|diff --git |@@ -\d|commit [0-9a-f]{7,40}\b|Traceback \(most recent|<!DOCTYPE|<html)`)
	// reLogged matches lines that programs print.
	reLogged = lazy.New(`^(?:(?:npm|pnpm|yarn|bun) (?i:err|error|warn|notice|info)\S* |(?:error|warning|fatal|panic|note|hint|info|debug|trace)(?:\[\w+\])?: |[A-Z]\w*(?:Error|Exception|Warning): |(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|FAIL|PASS)\b[:\]\s]|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d{1,2}:\d\d(?::\d\d|\s?[AP]M\b)|\[\w+\] |Caused by|goroutine \d|remote: |@[\w.-]+:? |\S+ (?:APP )?\d{1,2}:\d\d(?:\s?[AP]M)?$)`)
	reFooter = lazy.New(`(?im)^(?:©|\(c\)|copyright\b).*\d{4}|^all rights reserved|^(?:unsubscribe|privacy policy|terms of service|cookie)\b`)
	reAbove  = lazy.New(`(?i)^(?:please )?(?:tl;?dr\??$|(?:summari[sz]e|translate|proofread|explain|reply to|answer|what does|what do you (?:think|make) of)\b.{0,30}\b(?:this|that|it|above)\b|(?:what|is|are) .{0,30}\babove\b)`)
)
