/// A fetched property of a compiled model. A handle, as ``Entity`` is.
public struct FetchedProperty: Sendable {
    /// The entity that declares it; subentities share it.
    public let entity: Entity
    let index: Int
    /// As its author declared it.
    public let description: FetchedPropertyDescription
}

extension FetchedProperty: Hashable {
    /// Whether both are the same fetched property of the same compiled model.
    public static func == (left: Self, right: Self) -> Bool {
        left.index == right.index && left.entity == right.entity
    }
    /// Hashes the declaring entity and the index in it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(index)
    }
}
