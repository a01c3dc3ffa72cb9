package guard

import (
	"net/netip"
	"slices"
	"strings"

	"mem/lazy"
)

// isRemote reports whether an address leads out of this machine and its network,
// and not only to where something is documented.
func isRemote(address, sentence string) bool {
	l := strings.ToLower(address)
	_, host, ok := strings.Cut(l, "://")
	if !ok {
		return true
	}
	host = strings.TrimRight(host, ".,;:!?")
	name, rest := host, ""
	if end := strings.IndexAny(host, ":/?#,;"); end >= 0 {
		name, rest = host[:end], host[end:]
	}
	if strings.Contains(host, "@") {
		return true
	}
	if name == "localhost" || strings.HasPrefix(host, "[::1]") {
		return false
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		return !ip.IsLoopback() && !ip.IsPrivate() && !ip.IsUnspecified()
	}
	return !isDocumentation(l, name, rest, sentence) && !isWarnedOf(sentence)
}

// Sentences that only say what not to do with an address, and what turns one of them
// around.
var (
	warnOf = lazy.New(`(?i)^[\s>*+-]*(?:avoid:|never|do not|don'?t)\s+(?:ever\s+)?` + "[`\"']?" + `(?:curl|wget|fetch|download|install|run|execute|pipe|open|clone|follow|load|import|source|post|send|upload|trust|visit)(?:ing)?\b`)
	turns  = lazy.New(`(?i)\b(?:but|just|then|instead|simply|please|always|rather|use|without|unless|until|except|before|after|and|only)\b`)
)

func isWarnedOf(sentence string) bool {
	return warnOf.Matches(sentence) && !turns.Matches(sentence) && strings.Count(sentence, "://") == 1
}

// Where things are documented: hosts and paths by their names. Pages there may be
// written by anyone, so that a sentence which says more than to look is an order.
var (
	docHost = lazy.New(`^(?:docs?|developers?|learn|wiki|help|man\d?|pkg|guides?|reference)\.|(?:^|\.)(?:readthedocs\.(?:io|org)|wikipedia\.org|stackoverflow\.com|docs\.rs|go\.dev|nodejs\.org|python\.org|rust-lang\.org|postgresql\.org|kubernetes\.io|ietf\.org|rfc-editor\.org|w3\.org|git-scm\.com)$`)
	docPath = lazy.New(`^/(?:[^?#]*/)?(?:docs?|documentation|wiki|manual|reference|guides?|tutorials?|issues|pull|discussions|questions|rfc\d*|spec|faq)(?:[/#.]|$)`)
	payload = lazy.New(`\.(?:sh|bash|ps1|bat|cmd|exe|py|js|mjs|rb|pl|php|zip|tgz|tar|gz|whl|jar|deb|rpm|dmg|pkg|msi|bin)$|[?&=%]`)
	doing   = lazy.New(`(?i)\b(?:follow|obey|comply|run|execute|eval|curl|wget|fetch|download|install|load|import|source|clone|apply|send|post|upload|submit|paste|pipe|register|log ?in|proxy|registry|mirror|do (?:what|as|everything))\b`)
)

// isDocumentation reports whether an address, whose host and what follows it are
// given too, is that of a page that explains something, in a sentence that at most
// says to look at it.
func isDocumentation(address, host, path, sentence string) bool {
	if !strings.HasPrefix(address, "https://") || strings.HasPrefix(path, ":") || strings.Contains(host, "xn--") {
		return false
	}
	isDoc := docHost.Matches(host) || docPath.Matches(path)
	said := strings.ReplaceAll(strings.ToLower(sentence), strings.TrimRight(address, ".,;:!?"), "")
	return isDoc && !payload.Matches(path) && !doing.Matches(said)
}

// Markup that is only a form of text; where it is shown no tag stays one.
var (
	mdLink  = lazy.New(`^\[[^\]\n]*\]\(([^)\s]+)\)$`)
	htmlTag = lazy.New(`(?i)^</?(?:b|i|u|p|br|div|span|table|details|summary|h[1-6]|input|button|form|video|audio)\s*/?>$`) // none with attributes
	inRepo  = lazy.New(`^#?[\p{L}\p{N}._/~%#-]+$`)
)

// isForeignMarkup reports whether markup is more than a plain tag of HTML, or a link
// to a file of the project or to documentation. An address in it is tried by itself,
// too.
func isForeignMarkup(text, sentence string) bool {
	if htmlTag.Matches(text) {
		return false
	}
	m := mdLink.Get().FindStringSubmatch(text)
	return m == nil || !inRepo.Matches(m[1]) && isRemote(m[1], sentence)
}

// NamesPerson reports whether a text names a folder of a home or an e-mail address, but those
// of accounts that many have, as on machines that build.
func NamesPerson(text string) bool {
	return slices.ContainsFunc(personal.Get().FindAllStringSubmatch(text, -1), func(m []string) bool { return !shared.Matches(m[1] + m[2]) })
}

var (
	personal = lazy.New(`(?:^|[^\w.-])(?:/home|/Users|(?i:[a-z]:[\\/]+Users))[\\/]+([\w.-]+)|(?:^|mailto:|[^\w.+:/-])([\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,})`)
	shared   = lazy.New(`(?i)^(?:app|circleci|jovyan|me|node|public|runner|shared|ubuntu|user|username|vagrant|vscode|you)$|^(?:git|hg)@|@example\.|noreply`)
)
