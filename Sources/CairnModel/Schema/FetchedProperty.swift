/// A fetched property of a compiled model. Like ``Entity``, it is a handle that is cheap to copy.
public struct FetchedProperty: Sendable {
    /// The entity that declares the fetched property. Subentities inherit it.
    public let entity: Entity
    let index: Int
    /// The description from which the fetched property was compiled.
    public let description: FetchedPropertyDescription
}

extension FetchedProperty: Hashable {
    /// Returns whether both are the same fetched property of the same compiled model.
    public static func == (left: Self, right: Self) -> Bool {
        left.index == right.index && left.entity == right.entity
    }
    /// Hashes the declaring entity and the fetched property's index within it.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(index)
    }
}
