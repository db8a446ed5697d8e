/// Says changes of a model in words, for people.
enum ChangeText {
    /// Joins phrases as English does: `a`, `a and b`, `a, b and c`.
    static func list(_ phrases: [String]) -> String {
        guard let last = phrases.last, phrases.count > 1 else { return phrases.first ?? "" }
        return phrases.dropLast().joined(separator: ", ") + " and " + last
    }

    /// `is now`, or `is no longer`, with a word.
    static func flag(_ isOn: Bool, _ word: String) -> String {
        "is \(isOn ? "now" : "no longer") \(word)"
    }

    /// How a setting with a text changed: added, removed or replaced.
    static func text(_ what: String, _ old: String?, _ new: String?) -> String {
        switch (old, new) {
        case (nil, let new?): "has now the \(what) \(new)"
        case (let old?, nil): "no longer has the \(what) \(old)"
        case (let old?, let new?): "has the \(what) \(new) instead of \(old)"
        case (nil, nil): "has the same \(what)"
        }
    }

    static func changes<Part>(
        _ changes: [NamedChange<Part>], _ what: String
    ) -> [String] {
        changes.map { change in
            let verb =
                switch (change.old, change.new) {
                case (nil, _): "was added"
                case (_, nil): "was removed"
                default: "was changed"
                }
            return "\(what) \(change.name) \(verb)"
        }
    }
}
