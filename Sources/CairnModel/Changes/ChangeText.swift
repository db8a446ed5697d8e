/// Describes changes of a model in words.
enum ChangeText {
    /// Joins phrases with commas and “and”: `a`, `a and b`, or `a, b and c`.
    static func list(_ phrases: [String]) -> String {
        guard let last = phrases.last, phrases.count > 1 else { return phrases.first ?? "" }
        return phrases.dropLast().joined(separator: ", ") + " and " + last
    }

    /// Returns `is now` or `is no longer`, followed by a word.
    static func flag(_ isOn: Bool, _ word: String) -> String {
        "is \(isOn ? "now" : "no longer") \(word)"
    }

    /// Returns a phrase that says whether a setting was added, removed or replaced.
    static func text(_ what: String, _ old: String?, _ new: String?) -> String {
        switch (old, new) {
        case (nil, let new?): "now has the \(what) \(new)"
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
