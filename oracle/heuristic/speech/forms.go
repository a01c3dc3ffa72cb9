package speech

import "mem/lazy"

// A form is one way in which people correct and lay down rules. The groups of
// its expression are named as the fields of a match.
type form struct {
	re   *lazy.Regexp
	read func(reading) (Heard, bool) // false if the remark is of another form
}

// A match is what the groups of a form hold.
type match struct{ verb, what, how, this, that, where, s string }

// A reading is a remark taken for one of the forms.
type reading struct {
	remark
	Scene
	match
	all string // the whole match
}

// readAs takes r for a form; it is false if the form does not fit.
func (r remark) readAs(f form, sc Scene) (Heard, bool) {
	re := f.re.Get()
	found := re.FindStringSubmatch(r.text)
	if found == nil {
		return Heard{}, false
	}
	u := reading{remark: r, Scene: sc, all: found[0]}
	groups := map[string]*string{"verb": &u.verb, "what": &u.what, "how": &u.how, "this": &u.this, "that": &u.that, "where": &u.where, "s": &u.s}
	for i, name := range re.SubexpNames() {
		if name != "" {
			*groups[name] = found[i]
		}
	}
	return f.read(u)
}

// forms are tried in order, the most specific first.
var forms = []form{
	{lazy.New(`(?i)^don't forget (?:to )?(?P<what>.+)`), readReminder},
	{lazy.New(`(?i)^(?P<how>don't|do not|never)(?:,? ever,?)?(?: you)? (?P<what>.+)`), readProhibition},
	{lazy.New(`(?i)^(?:please )?(?:stop|quit|avoid) (?P<what>\w+ing\b.*)`), readHabit},
	{lazy.New(`(?i)^(?:please )?avoid (?P<what>\w+.*)`), readAvoid},
	{lazy.New(`(?i)^prefer (?P<what>.+)`), readPreference},
	{lazy.New(`(?i)^(?P<this>(?:when|whenever|before) (?:\w+ing\b|you |we )[^,]*), (?:please |always )?(?P<verb>\w+)\b(?P<what>.*)`), readOccasion},
	{lazy.New(`(?i)^you (?:always |just )?(?:keep|kept|keep on) (?P<what>\w+ing\b.*)`), readHabit},
	{lazy.New(`(?i)^no (?P<what>[\w'./` + "`" + `-]+(?: [\w'./` + "`" + `-]+){0,5})$`), readNoThing},
	{lazy.New(`(?i)^no (?P<what>[\w'./` + "`" + `-]+(?: [\w'./` + "`" + `-]+){0,6}) please, (?:just|only|instead) (?P<verb>\w+)\b(?P<how>.+)$`), readThisNotThat},
	{lazy.New(`(?i)^(?:you )?(?:should |must |need to |have to )?always (?:need to |have to |should |must )?(?P<what>.+)`), readAlways},
	{lazy.New(`(?i)^make sure to (?P<how>always|never) (?P<what>.+)`), readMakeSure},
	{lazy.New(`(?i)^(?P<where>(?:in|for|on) (?:this|our) (?:repo|repository|project|codebase|team|company|monorepo|package)[\w-]*,? )?` +
		`(?:we|this (?:repo|repository|project|codebase|package|monorepo)|our (?:team|ci|project|repo)) ` +
		`(?P<how>always |only |never |don't |do not |doesn't |does not |exclusively |(?:do )?want to )?(?P<verb>\w+?)(?P<s>s?) (?P<what>.+)`), readTeamRule},
	{lazy.New(`(?i)^(?:(?:let's|you (?:should|must|need to)|we (?:should|must|need to)) )?use (?P<this>.+?),? (?:instead of|rather than|and not|not|no) (?P<that>.+)`), readContrast},
	{lazy.New(`(?i)^(?:let's |you (?:should|must|need to) )?use (?P<this>\S+(?: \S+){0,5}?) instead\b(?P<what>.*)`), readInstead},
	{lazy.New(`(?i)^(?:it's |it is )?(?P<this>[^\s,]+),? (?P<how>instead of|rather than|and not|not|over) (?P<that>[^\s,]+)$`), readPair},
	{lazy.New(`(?i)^(?:it's )?not (?P<that>[^\s,]+)(?:,| -| –| —|;|:)(?: but| use| it's)? (?P<this>[^\s,]+)$`), readPair},
	{lazy.New(`(?i)^(?:it's |it is )?(?P<this>[^\s,]+)$`), readLoneTool},
	{lazy.New(`(?i)^you should(?:'ve| have) (?P<how>not |never )?(?P<verb>\w+)\b(?P<what>.*)`), readShouldHave},
	{lazy.New(`(?i)^you (?:forgot to|didn't|did not|failed to|never) (?P<verb>\w+)\b(?P<what>.*)`), readOmission},
	{lazy.New(`(?i)^(?:you|we) (?:shouldn't|should not|should never|must not|mustn't|must never|cannot|can't|aren't allowed to|are not allowed to|may not) (?P<what>.+)`), readProhibition},
	{lazy.New(`(?i)^i (?:really )?(?:don't|do not|never) want (?:you )?to (?P<what>.+)`), readProhibition},
	{lazy.New(`(?i)^(?P<how>not to|to) (?P<verb>\w+)\b(?P<what>.*)`), readToldTo},
	{lazy.New(`^(?P<this>[\w'./` + "`" + `-]+(?: [\w'./` + "`" + `-]+){0,4}) must (?P<how>never|NEVER|always|ALWAYS|not|NOT) (?P<what>.+)`), readMust},
	{lazy.New(`(?i)^(?:(?:let's|(?:you|we) (?:should|must|need to|have to)|i (?:want|need|would like|'d like) you to|i want to|just) )?(?P<verb>\w+)\b(?P<what>.*)`), readImperative},
	{lazy.New(`(?i)^(?:can|could|would|will) (?:you|we) (?:please |just )?(?P<verb>\w+)\b(?P<what>.*)`), readRequest},
	{lazy.New(`(?i)^i (?:want|need|would like|'d like) (?P<this>.+?) to be (?P<what>.+)`), readWish},
	{lazy.New(`(?i)^(?P<this>.+?) (?:is|are|lives?|goes|go|belongs?|needs?|must|should|has to|have to|stays?|requires?|comes?|runs?|returns?|expects?|means|uses?|has|have|works?) (?P<what>.+)`), readStatement},
}
