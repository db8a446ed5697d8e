internal import CairnModel
internal import CairnObjects
internal import CairnStack

/// The models that a container stores, and the version of their declarations.
///
/// ```swift
/// let schema = Schema([Trip.self, Stop.self])
/// ```
///
/// A schema also contains the superclasses of its models, and the models that their relationships lead to.
/// Subclasses have to be named.
public final class Schema: Sendable {
    /// The version of a schema: `Schema.Version(1, 0, 0)`.
    public struct Version: Sendable, Hashable, Codable, Comparable, CustomStringConvertible {
        /// The number that changes with a redesign.
        public let major: Int
        /// The number that changes with an addition.
        public let minor: Int
        /// The number that changes with a correction.
        public let patch: Int

        /// Creates a version from its three numbers.
        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            (self.major, self.minor, self.patch) = (major, minor, patch)
        }

        /// Returns whether the left version is older.
        public static func < (left: Version, right: Version) -> Bool {
            (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
        }

        /// The three numbers, with dots between them.
        public var description: String { "\(major).\(minor).\(patch)" }
    }

    /// The version.
    public let version: Version
    /// The models in the order in which they were found: those that were named, then their superclasses and
    /// destinations.
    let types: [any PersistentModel.Type]

    /// Creates a schema of models.
    ///
    /// - Parameters:
    ///   - types: The models.
    ///   - version: The version of their declarations.
    public init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
        self.version = version
        self.types = Self.reached(from: types)
    }

    /// Creates a schema of models.
    ///
    /// - Parameters:
    ///   - types: The models.
    ///   - version: The version of their declarations.
    public convenience init(
        _ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)
    ) {
        self.init(types, version: version)
    }

    /// Creates the schema that a version declares.
    public convenience init(versionedSchema: any VersionedSchema.Type) {
        self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
    }

    private static func reached(
        from types: [any PersistentModel.Type]
    ) -> [any PersistentModel.Type] {
        var found: [any PersistentModel.Type] = []
        var waiting = types
        while !waiting.isEmpty {
            let type = waiting.removeFirst()
            if found.contains(where: { $0 == type }) { continue }
            found.append(type)
            if let superclass = ModelEntity.superclass(of: type) { waiting.append(superclass) }
            waiting += type.schemaMetadata.compactMap(\.destination)
        }
        return found
    }
}

/// The settings of attributes and relationships, as `@Attribute` and `@Relationship` declare them.
extension Schema {
    /// The settings of an attribute that its type does not express.
    public struct Attribute {
        /// A setting of an attribute.
        public enum Option: Sendable, Hashable {
            /// No two models have the same value. Saving a new model that repeats one updates the stored model.
            case unique
            /// Large values of type `Data` may be saved in files next to the store.
            case externalStorage
            /// A server that mirrors the store encrypts the value. It is only preserved in the store's model.
            case allowsCloudEncryption
            /// The history contains the value of a deleted model.
            case preserveValueOnDeletion
            /// The value exists in memory only and is not saved, but its changes are tracked.
            case ephemeral
            /// Apple's systems index the value for Spotlight. It is only preserved in the store's model.
            case spotlight
        }

        let options: [Option]
        let originalName: String?
        let hashModifier: String?

        /// Creates settings. See the macro `@Attribute`.
        ///
        /// - Parameters:
        ///   - options: Settings that the type does not express.
        ///   - originalName: The name in the previous version of the schema.
        ///   - hashModifier: A text that changes the version hash.
        public init(
            _ options: Option..., originalName: String? = nil, hashModifier: String? = nil
        ) {
            self.options = options
            self.originalName = originalName
            self.hashModifier = hashModifier
        }
    }

    /// The settings of a relationship that its type does not express.
    public struct Relationship {
        /// What happens to the destinations when the owner is deleted.
        public enum DeleteRule: Sendable, Hashable {
            /// Nothing. The destination's inverse may then lead to a model that does not exist.
            case noAction
            /// The owner is removed from the destination's inverse.
            case nullify
            /// The destinations are also deleted.
            case cascade
            /// The owner cannot be deleted while it has a destination.
            case deny
        }

        let deleteRule: DeleteRule
        let counts: (minimum: Int, maximum: Int)
        let originalName: String?
        let inverse: AnyKeyPath?
        let hashModifier: String?

        /// Creates settings. See the macro `@Relationship`.
        ///
        /// - Parameters:
        ///   - deleteRule: What happens to the destinations when the owner is deleted.
        ///   - minimumModelCount: The smallest number of members of a to-many. 0 and `nil` mean no minimum.
        ///   - maximumModelCount: The largest number of members of a to-many. 0 and `nil` mean no maximum.
        ///   - originalName: The name in the previous version of the schema.
        ///   - inverse: The key path of the inverse relationship.
        ///   - hashModifier: A text that changes the version hash.
        public init(
            deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
            maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
            hashModifier: String? = nil
        ) {
            self.deleteRule = deleteRule
            counts = (minimumModelCount ?? 0, maximumModelCount ?? 0)
            self.originalName = originalName
            self.inverse = inverse
            self.hashModifier = hashModifier
        }
    }
}
