/// The change of one composite between two versions of a model.
package struct CompositeChange: Sendable, Hashable {
    /// The composite in the old model, or `nil` if the composite was added.
    package var old: CompositeDescription?
    /// The composite in the new model, or `nil` if the composite was removed.
    package var new: CompositeDescription?
    /// The elements that were added, removed or changed, sorted by name. Empty for a composite that was added
    /// or removed. The declaring entity of each side is the name of the composite.
    package var elements: [PropertyChange]

    /// The name of the composite, which is the same in both models because composites cannot be renamed.
    package var name: String { (new ?? old)?.name ?? "" }
}

extension CompositeChange {
    init(from old: CompositeDescription, to new: CompositeDescription) {
        func sides(_ composite: CompositeDescription) -> [PropertyChange.Side] {
            composite.elements.map {
                PropertyChange.Side(declaringEntity: composite.name, property: .attribute($0))
            }
        }
        let matching = PropertyMatching(old: sides(old), new: sides(new))
        self.init(
            old: old, new: new,
            elements: matching.changes { PropertyComparison(old: $0, new: $1).aspects() })
    }
}
