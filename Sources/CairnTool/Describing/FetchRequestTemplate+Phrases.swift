import Cairn

extension FetchRequestTemplate {
    /// The conditions, the order and the limits of the fetch, as short phrases.
    var phrases: [String] {
        var phrases: [String] = []
        switch condition {
        case .predicate(let predicate): phrases.append("where \(predicate)")
        case .unreadable(let text, let reason):
            phrases.append("where \(text) (which cannot be used: \(reason))")
        case nil: break
        }
        if !sortDescriptors.isEmpty {
            let keys = sortDescriptors.map { $0.keyPath + ($0.isAscending ? "" : " descending") }
            phrases.append("sorted by " + keys.joined(separator: ", "))
        }
        if fetchLimit > 0 { phrases.append("at most \(fetchLimit)") }
        if fetchOffset > 0 { phrases.append("after the first \(fetchOffset)") }
        if resultType != .managedObjects { phrases.append("as \(resultType)") }
        if !includesSubentities { phrases.append("without subentities") }
        return phrases
    }
}
