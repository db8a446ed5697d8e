import CairnModel

/// What became of an archived predicate.
enum ArchivedPredicate {
    case absent
    case readable(FetchPredicate)
    case unreadable(text: String, reason: String)

    /// The predicate, if there is one that could be read.
    var predicate: FetchPredicate? {
        if case .readable(let predicate) = self { predicate } else { nil }
    }

    /// As a template keeps it. `nil` if it does not exist.
    var condition: FetchRequestTemplate.Condition? {
        switch self {
        case .absent: nil
        case .readable(let predicate): .predicate(predicate)
        case .unreadable(let text, let reason): .unreadable(text: text, reason: reason)
        }
    }
}
