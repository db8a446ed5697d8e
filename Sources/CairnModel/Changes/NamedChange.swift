/// A part of a model that is known by its name alone, before and after: an index, a configuration,
/// a fetch request.
public struct NamedChange<Part: Sendable & Hashable>: Sendable, Hashable {
    /// The name on both sides: such parts have no renaming identifier.
    public var name: String
    /// The part in the old model; `nil` if it was added.
    public var old: Part?
    /// The part in the new model; `nil` if it was removed.
    public var new: Part?

    /// Returns what differs between two sets of parts, by name.
    static func between(_ old: [String: Part], _ new: [String: Part]) -> [NamedChange] {
        Set(old.keys).union(new.keys).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .compactMap { name in
                old[name] == new[name]
                    ? nil : NamedChange(name: name, old: old[name], new: new[name])
            }
    }
}
