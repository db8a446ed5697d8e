/// The change of a part that has the same name in both models: an index, a configuration or a fetch
/// request.
package struct NamedChange<Part: Sendable & Hashable>: Sendable, Hashable {
    /// The name in both models. These parts have no renaming identifier.
    package var name: String
    /// The part in the old model, or `nil` if the part was added.
    package var old: Part?
    /// The part in the new model, or `nil` if the part was removed.
    package var new: Part?

    /// Returns the differences between two sets of parts, sorted by name.
    static func between(_ old: [String: Part], _ new: [String: Part]) -> [NamedChange] {
        Set(old.keys).union(new.keys).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .compactMap { name in
                old[name] == new[name]
                    ? nil : NamedChange(name: name, old: old[name], new: new[name])
            }
    }
}
