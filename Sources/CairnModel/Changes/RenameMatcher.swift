/// Matches the parts of two versions of a model by name and renaming identifier.
///
/// A renaming identifier is either the name or the renaming identifier of the part in the previous
/// version: a part that is renamed twice may keep the identifier from the first time. A renaming
/// identifier takes precedence over a name.
struct RenameMatcher {
    /// The parts of an entity or a property that matching uses.
    struct Part: Hashable {
        let name: String
        let renamingIdentifier: String?
    }

    /// Why a new part is taken to continue an old one.
    private enum Reason { case identifier, name, formerIdentifier }

    /// The old name for each new name that continues an old part.
    private(set) var oldNames: [String: String] = [:]
    /// The new name for each old name that is continued.
    private(set) var newNames: [String: String] = [:]
    /// The old names that several new parts claim, with the names of these parts.
    private(set) var contested: [(old: String, claimants: [String])] = []

    private let old: Set<Part>
    private let names: Set<String>
    private let namesByIdentifier: [String: String]

    /// - Precondition: Names are unique on each side.
    init(old: [Part], new: [Part]) {
        self.old = Set(old)
        names = Set(old.map(\.name))
        namesByIdentifier = Dictionary(
            old.compactMap { part in part.renamingIdentifier.map { ($0, part.name) } },
            uniquingKeysWith: { first, _ in first })
        var claims: [String: [Reason: [String]]] = [:]
        for part in new {
            guard let (name, reason) = predecessor(of: part) else { continue }
            claims[name, default: [:]][reason, default: []].append(part.name)
        }
        for (name, claimants) in claims.sorted(by: { $0.key < $1.key }) {
            settle(name, claimants)
        }
    }

    private func predecessor(of part: Part) -> (name: String, Reason)? {
        if let identifier = part.renamingIdentifier, identifier != part.name {
            if old.contains(part) { return (part.name, .identifier) }
            if let name = namesByIdentifier[identifier] { return (name, .identifier) }
            if names.contains(identifier) { return (identifier, .identifier) }
        }
        if names.contains(part.name) { return (part.name, .name) }
        return namesByIdentifier[part.name].map { ($0, .formerIdentifier) }
    }

    private mutating func settle(_ name: String, _ claims: [Reason: [String]]) {
        let identified = (claims[.identifier] ?? []).sorted()
        let strong = identified + (claims[.name] ?? [])
        if strong.count > 1 { contested.append((name, strong.sorted())) }
        guard let winner = strong.first ?? claims[.formerIdentifier]?.min() else { return }
        oldNames[winner] = name
        newNames[name] = winner
    }
}
