/// Something in a model that compiles and is probably not meant.
public struct ModelWarning: Sendable, Hashable {
    /// What it is about, as a caller would branch on it.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// A relationship without an inverse: deleting its destination leaves it dangling.
        case noInverse
        /// A relationship whose delete rule does nothing.
        case noActionDeleteRule
        /// A required relationship whose inverse is required, too: neither object can be saved
        /// without the other.
        case requiredBothWays
        /// A delete rule that cascades in both directions.
        case cascadesBothWays
        /// A transformable attribute whose transformer is not named.
        case noTransformer
        /// A default value that the attribute's own validation refuses.
        case invalidDefault
        /// A smallest bound above the largest.
        case emptyRange
        /// An abstract entity without subentities: it can never have objects.
        case abstractWithoutSubentities
        /// An entity without properties.
        case noProperties
        /// A name that cannot be that of a class or property in Swift.
        case nameOfNoSwift
        /// A name that a managed object has already for something else.
        case reservedName
        /// The older form of an index, which current tools replace by fetch indexes.
        case olderIndex
        /// A fetch request whose predicate cannot be read.
        case unreadablePredicate
    }

    /// Which warning it is.
    public var kind: Kind
    /// The entity concerned; empty for the model itself.
    public var entity: String
    /// The property concerned; `nil` for the entity itself.
    public var property: String?
    /// What is odd and what to do, as a clause without a full stop.
    public var detail: String
}

extension ModelWarning: CustomStringConvertible {
    /// The entity, the property and the detail on one line.
    public var description: String {
        entity + (property.map { ".\($0)" } ?? "") + (entity.isEmpty ? "" : ": ") + detail
    }
}
