/// A warning about something in a model that is valid but is probably a mistake.
package struct ModelWarning: Sendable, Hashable {
    /// The kinds of warnings.
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// A relationship without an inverse. It is left dangling when its destination is deleted.
        case noInverse
        /// A relationship whose delete rule is `noAction`.
        case noActionDeleteRule
        /// A required relationship whose inverse is also required, so neither object can be saved without
        /// the other.
        case mutuallyRequired
        /// A relationship that cascades deletion in both directions.
        case mutualCascade
        /// A transformable attribute without the name of a transformer.
        case noTransformer
        /// A default value that the attribute's own validation rules refuse.
        case invalidDefault
        /// A default value or a bound in a source model that is not a value of the attribute's type. It has
        /// no effect.
        case unreadableValue
        /// An attribute whose minimum is greater than its maximum.
        case emptyRange
        /// An abstract entity without subentities, which can never have objects.
        case abstractWithoutSubentities
        /// An entity without properties.
        case noProperties
        /// A name that is not valid for a class or property in Swift.
        case invalidSwiftName
        /// A name that managed objects already use for something else.
        case reservedName
        /// An index in the older form that fetch indexes replace.
        case legacyIndex
        /// Renaming identifiers that exchange names without a hash modifier, so that no store is migrated.
        case unnoticedRename
        /// A fetch request whose predicate cannot be read.
        case unreadablePredicate
    }

    /// The kind of the warning.
    package var kind: Kind
    /// The name of the entity or of the composite, or an empty string for a warning about the model itself.
    package var entity: String
    /// The name of the property, or `nil` for a warning about the entity itself.
    package var property: String?
    /// A clause without a full stop that says what is wrong and what to do.
    package var detail: String
}

extension ModelWarning: CustomStringConvertible {
    /// The entity, the property and the detail in one line.
    package var description: String {
        entity + (property.map { ".\($0)" } ?? "") + (entity.isEmpty ? "" : ": ") + detail
    }
}
