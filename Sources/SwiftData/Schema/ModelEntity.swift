internal import CairnModel
internal import CairnObjects
internal import CairnQueries
@_spi(Reflection) internal import Swift

/// The entity of a model's class.
// Unchecked: nothing changes after the entity was created. Key paths and forms of values are immutable, too.
final class ModelEntity: @unchecked Sendable {
    let name: String
    let type: any PersistentModel.Type
    /// All properties, including inherited ones, by name.
    let properties: [String: ModelProperty]
    /// The properties that are declared with `let`, whose values are in the instances.
    let constants: [ModelProperty]
    /// The properties' marks in a model.
    let marks: ClassMarks
    /// The properties, by the offsets of their marks.
    private let propertiesByMark: ContiguousArray<ModelProperty?>
    /// Returns an instance as a model. For one of the class, it needs no cast by the runtime.
    let model: (AnyObject) -> (any PersistentModel)?
    /// The names of all properties, by the identity that their key paths have.
    private let namesByIdentifier: [UInt: String]
    /// The key paths that lead to a model's identifier.
    private let identifierPaths: [AnyKeyPath]

    init(_ type: any PersistentModel.Type) {
        self.type = type
        name = Self.name(of: type)
        var properties: [String: ModelProperty] = [:]
        var paths: [AnyKeyPath] = []
        for metadata in Self.lineage(of: type).flatMap({ $0.schemaMetadata }) {
            switch metadata.content {
            case .property(let property): properties[property.name] = property
            case .identifiers(let found): paths += found
            case .unique, .index: break
            }
        }
        self.properties = properties
        let offsets = Self.offsets(of: type)
        marks = ClassMarks(offsets: offsets)
        var propertiesByMark = ContiguousArray<ModelProperty?>(
            repeating: nil, count: (offsets.map(\.bytes).max() ?? -1) + 1)
        for offset in offsets {
            properties[offset.name]?.mark = _Property.Mark(bytes: offset.bytes)
            propertiesByMark[offset.bytes] = properties[offset.name]
        }
        self.propertiesByMark = propertiesByMark
        model = Self.cast(to: type)
        constants = properties.values.filter { $0.constant != nil }
        identifierPaths = paths.filter { Swift.type(of: $0).valueType == PersistentIdentifier.self }
        namesByIdentifier = Dictionary(
            properties.values.compactMap { property in
                property.identifier.map { ($0, property.name) }
            },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the entity's name: that of the class, without the types that contain it.
    static func name(of type: any PersistentModel.Type) -> String { "\(type)" }

    /// Returns the superclass if it is a model, and `nil` otherwise.
    static func superclass(of type: any PersistentModel.Type) -> (any PersistentModel.Type)? {
        _getSuperclass(type) as? any PersistentModel.Type
    }

    /// Returns the class and the superclasses that are models, the topmost first.
    private static func lineage(of type: any PersistentModel.Type) -> [any PersistentModel.Type] {
        (superclass(of: type).map(lineage) ?? []) + [type]
    }

    /// Finds the variables that mark properties. The mark of the property `name` is `_$name`.
    private static func offsets(
        of type: any PersistentModel.Type
    ) -> [(name: String, bytes: Int)] {
        var offsets: [(name: String, bytes: Int)] = []
        // `.classType`. Swift 6 does not allow its use, because it is declared as a `var`.
        let options = _EachFieldOptions(rawValue: 1)
        _ = _forEachField(of: type, options: options) { name, offset, type, _ in
            if type == _NoValue.self {
                offsets.append((String(String(cString: name).dropFirst(2)), offset))
            }
            return true
        }
        return offsets
    }

    private static func cast<Model: PersistentModel>(
        to type: Model.Type
    ) -> (AnyObject) -> (any PersistentModel)? {
        {
            // A new model that became a stored one may be of a superclass.
            Swift.type(of: $0) == type
                ? unsafeDowncast($0, to: type) : $0 as? any PersistentModel
        }
    }

    /// Returns the property with a mark. Returns `nil` if the schema does not contain it.
    func property(at mark: _Property.Mark) -> ModelProperty? {
        mark.element(in: propertiesByMark)
    }

    func name(ofPropertyWith identifier: UInt) -> String? { namesByIdentifier[identifier] }

    func isIdentifier(_ path: AnyKeyPath) -> Bool { identifierPaths.contains(path) }

    /// Returns the model that a relationship leads to. Returns `nil` for an attribute.
    func destination(of property: String) -> (any PersistentModel.Type)? {
        switch properties[property]?.kind {
        case .toOne(let type, _)?, .toMany(let type, _)?: type
        case .attribute?, nil: nil
        }
    }
}
