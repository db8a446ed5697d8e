internal import CairnModel

extension Schema {
    /// What `@Model` knows of a property. Only generated code creates it.
    public struct PropertyMetadata {
        let content: Content

        enum Content {
            case property(ModelProperty)
            /// Lists of property names. No two models have the same values for all properties of a list.
            case unique([[String]])
            /// Lists of property names that stores index together.
            case index([[String]])
            /// The key paths of a class that lead to its identifier.
            case identifiers([AnyKeyPath])
        }

        /// The model that a relationship leads to. `nil` for an attribute.
        var destination: (any PersistentModel.Type)? {
            guard case .property(let property) = content else { return nil }
            switch property.kind {
            case .attribute: return nil
            case .toOne(let type, _), .toMany(let type, _): return type
            }
        }

        /// Creates the metadata of an attribute.
        @_disfavoredOverload
        public init<Model: PersistentModel, Value: Codable>(
            name: StaticString, keypath: KeyPath<Model, Value>, defaultValue: Value? = nil,
            metadata: Attribute? = nil, isConstant: Bool = false
        ) {
            content = .property(
                ModelProperty(
                    name, keypath, .attribute(ValueForm(of: Value.self, named: "\(name)")),
                    defaultValue,
                    attribute: metadata, isConstant: isConstant))
        }

        /// Creates the metadata of a to-one relationship that always has a destination.
        public init<Model: PersistentModel, Other: PersistentModel>(
            name: StaticString, keypath: KeyPath<Model, Other>, defaultValue: Other? = nil,
            metadata: Relationship? = nil
        ) {
            content = .property(
                ModelProperty(
                    name, keypath, .toOne(Other.self, isOptional: false), relationship: metadata))
        }

        /// Creates the metadata of a to-one relationship.
        public init<Model: PersistentModel, Other: PersistentModel>(
            name: StaticString, keypath: KeyPath<Model, Other?>, defaultValue: Other? = nil,
            metadata: Relationship? = nil
        ) {
            content = .property(
                ModelProperty(
                    name, keypath, .toOne(Other.self, isOptional: true), relationship: metadata))
        }

        /// Creates the metadata of a to-many relationship.
        public init<Model: PersistentModel, Other: PersistentModel>(
            name: StaticString, keypath: KeyPath<Model, [Other]>, defaultValue: [Other]? = nil,
            metadata: Relationship? = nil
        ) {
            content = .property(
                ModelProperty(
                    name, keypath, .toMany(Other.self, isOptional: false), relationship: metadata))
        }

        /// Creates the metadata of a to-many relationship that is declared as optional.
        public init<Model: PersistentModel, Other: PersistentModel>(
            name: StaticString, keypath: KeyPath<Model, [Other]?>, defaultValue: [Other]? = nil,
            metadata: Relationship? = nil
        ) {
            content = .property(
                ModelProperty(
                    name, keypath, .toMany(Other.self, isOptional: true), relationship: metadata))
        }

        /// Creates the metadata of `#Unique`.
        public init(unique: [[String]]) { content = .unique(unique) }

        /// Creates the metadata of `#Index`.
        public init(index: [[String]]) { content = .index(index) }

        /// Creates the metadata of the key paths `\.persistentModelID` and `\.id`. A path whose value is not an
        /// identifier has no meaning.
        public init<Model: PersistentModel>(identifiers: [PartialKeyPath<Model>]) {
            content = .identifiers(identifiers)
        }
    }
}
