import CairnModel

/// The result of decoding an archived predicate.
enum ArchivedPredicate {
    case absent
    case readable(FetchPredicate)
    case unreadable(text: String, reason: String)

    /// The predicate, or `nil` if it is absent or unreadable.
    var predicate: FetchPredicate? {
        if case .readable(let predicate) = self { predicate } else { nil }
    }

    /// The condition for a template, or `nil` if there is no predicate.
    var condition: FetchRequestTemplate.Condition? {
        switch self {
        case .absent: nil
        case .readable(let predicate): .predicate(predicate)
        case .unreadable(let text, let reason): .unreadable(text: text, reason: reason)
        }
    }
}
