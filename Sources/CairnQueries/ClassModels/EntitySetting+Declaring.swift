import CairnModel
import CairnObjects
import CairnStack

/// The settings that a class can declare.
extension EntitySetting {
    /// Creates a setting of the entity as a whole.
    ///
    /// - Parameters:
    ///   - isAbstract: Whether only subentities have objects.
    ///   - configuration: The configuration that has the entity, in addition to the default one.
    ///   - originalName: The name in the previous version of the model.
    ///   - hashModifier: A text that changes the version hash.
    ///   - file: The source file of the setting, which problems of the model name. Leave it out to use
    ///     the caller's file.
    ///   - line: The line of the setting in `file`. Leave it out to use the caller's line.
    public static func entity(
        isAbstract: Bool = false, configuration: String? = nil, originalName: String? = nil,
        hashModifier: String? = nil, file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(
            .entity(
                isAbstract: isAbstract, configuration: configuration, originalName: originalName,
                hashModifier: hashModifier), file, line)
    }

    /// Creates the settings of an attribute without a default value.
    ///
    /// - Parameters:
    ///   - name: The name of the property that declares the attribute.
    ///   - options: Settings that the type does not express.
    ///   - originalName: The name in the previous version of the model.
    ///   - hashModifier: A text that changes the version hash.
    ///   - file: The source file of the setting, which problems of the model name. Leave it out to use
    ///     the caller's file.
    ///   - line: The line of the setting in `file`. Leave it out to use the caller's line.
    public static func attribute(
        _ name: String, _ options: AttributeOption..., originalName: String? = nil,
        hashModifier: String? = nil, file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(.attribute((name, options, .null, nil, originalName, hashModifier)), file, line)
    }

    /// Creates the settings of an attribute with a default value.
    ///
    /// - Parameters:
    ///   - name: The name of the property that declares the attribute.
    ///   - options: Settings that the type does not express.
    ///   - value: The value of a new object, and the default in the model.
    ///   - originalName: The name in the previous version of the model.
    ///   - hashModifier: A text that changes the version hash.
    ///   - file: The source file of the setting, which problems of the model name. Leave it out to use
    ///     the caller's file.
    ///   - line: The line of the setting in `file`. Leave it out to use the caller's line.
    public static func attribute(
        _ name: String, _ options: AttributeOption..., default value: some AttributeValue,
        originalName: String? = nil, hashModifier: String? = nil, file: String = #fileID,
        line: Int = #line
    ) -> Self {
        Self(
            .attribute((name, options, value._attributeValue, nil, originalName, hashModifier)),
            file, line)
    }

    /// Creates the settings of an attribute whose initial value is evaluated for each new object.
    ///
    /// - Parameters:
    ///   - name: The name of the property that declares the attribute.
    ///   - options: Settings that the type does not express.
    ///   - value: The default in the model, which a migration gives to existing objects.
    ///   - makeInitialValue: Returns the value of one new object. Called before the object's
    ///     ``ManagedObject/awakeFromInsert()``, in the turn that inserts the object.
    ///   - originalName: The name in the previous version of the model.
    ///   - hashModifier: A text that changes the version hash.
    ///   - file: The source file of the setting, which problems of the model name. Leave it out to use
    ///     the caller's file.
    ///   - line: The line of the setting in `file`. Leave it out to use the caller's line.
    public static func attribute<Content: AttributeValue>(
        _ name: String, _ options: AttributeOption..., default value: Content? = nil,
        initial makeInitialValue: @escaping @Sendable () -> Content?,
        originalName: String? = nil, hashModifier: String? = nil, file: String = #fileID,
        line: Int = #line
    ) -> Self {
        let settings =
            (
                name, options, value?._attributeValue ?? .null,
                { makeInitialValue()?._attributeValue ?? .null }, originalName, hashModifier
            ) as AttributeSettings
        return Self(.attribute(settings), file, line)
    }

    /// Creates the settings of a relationship.
    ///
    /// - Parameters:
    ///   - name: The name of the property that declares the relationship.
    ///   - deleteRule: What happens to the destinations when the owner is deleted.
    ///   - inverse: The inverse relationship. Only one of the two sides needs to name it, and neither if it is
    ///     the only relationship that leads back.
    ///   - isOptional: Whether the relationship may have no destination.
    ///   - counts: The smallest and largest numbers of members of a to-many that is not empty.
    ///   - originalName: The name in the previous version of the model.
    ///   - hashModifier: A text that changes the version hash.
    ///   - file: The source file of the setting, which problems of the model name. Leave it out to use
    ///     the caller's file.
    ///   - line: The line of the setting in `file`. Leave it out to use the caller's line.
    public static func relationship(
        _ name: String, deleteRule: DeleteRule = .nullify, inverse: InverseProperty = .inferred,
        isOptional: Bool = true, counts: ClosedRange<Int>? = nil, originalName: String? = nil,
        hashModifier: String? = nil, file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(
            .relationship(
                (name, deleteRule, inverse, isOptional, counts, originalName, hashModifier)),
            file, line)
    }

    /// Makes a property a reference by a unique attribute: an indexed attribute that holds the destination's key.
    /// The destination may be in another store.
    ///
    /// - Parameters:
    ///   - name: The name of the property, whose type is an optional of the destination's class.
    ///   - key: The name of the attribute that identifies the destination. It must be unique.
    ///   - path: The property with that name. It gives the reference its type.
    ///   - originalName: The name in the previous version of the model.
    ///   - hashModifier: A text that changes the version hash.
    ///   - file: The source file of the setting, which problems of the model name. Leave it out to use
    ///     the caller's file.
    ///   - line: The line of the setting in `file`. Leave it out to use the caller's line.
    public static func reference<Destination: ManagedObject, Key: ManagedProperty>(
        _ name: String, by key: String, _ path: KeyPath<Destination, Key>,
        originalName: String? = nil, hashModifier: String? = nil, file: String = #fileID,
        line: Int = #line
    ) -> Self {
        var type = AttributeType.undefined
        if case .attribute(let types, _) = Key._shape { type = types.first ?? type }
        return Self(.reference((name, key, type, originalName, hashModifier)), file, line)
    }

    /// Makes a property a reference by the destination's URI. Otherwise the same as a reference by an
    /// attribute.
    public static func reference(
        _ name: String, originalName: String? = nil, hashModifier: String? = nil,
        file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(.reference((name, nil, .uri, originalName, hashModifier)), file, line)
    }

    /// Creates a fetched property, whose objects ``ManagedObject/fetchedObjects(_:as:)`` returns.
    ///
    /// - Parameters:
    ///   - name: The name of the fetched property in the model.
    ///   - objectClass: The class of the objects, which must be in the model.
    ///   - format: The condition in the format of ``FetchPredicate``. `$FETCH_SOURCE` is the object that has the
    ///     property: `"code == $FETCH_SOURCE.species"`. If the text is not a predicate, creating the model
    ///     throws.
    ///   - sorts: The order of the objects. The most significant descriptor comes first.
    ///   - limit: The maximum number of objects. 0 means no limit.
    ///   - file: The source file of the setting, which problems of the model name. Leave it out to use
    ///     the caller's file.
    ///   - line: The line of the setting in `file`. Leave it out to use the caller's line.
    public static func fetchedProperty(
        _ name: String, of objectClass: ManagedObject.Type, where format: String,
        sortedBy sorts: [FetchRequestTemplate.SortDescriptor] = [], limit: Int = 0,
        file: String = #fileID, line: Int = #line
    ) -> Self {
        var template = FetchRequestTemplate(entity: "\(objectClass)")
        do {
            template.condition = .predicate(try FetchPredicate(format: format))
        } catch {
            template.condition = .unreadable(text: format, reason: error.description)
        }
        template.sortDescriptors = sorts
        template.fetchLimit = limit
        return Self(.fetchedProperty(FetchedPropertyDescription(name, template)), file, line)
    }

    /// Creates a uniqueness constraint: no two objects have the same combination of values of these
    /// properties.
    public static func unique(
        _ names: String..., file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(.unique(names), file, line)
    }

    /// Creates an index of these properties. The most significant property comes first.
    public static func index(
        _ names: String..., file: String = #fileID, line: Int = #line
    ) -> Self {
        Self(.index(names), file, line)
    }
}

extension ManagedObject {
    /// Fetches the objects of a fetched property.
    ///
    /// Each call fetches. The objects may be in another store than this object.
    ///
    /// - Parameters:
    ///   - name: The name of the fetched property.
    ///   - objectClass: The class of the objects.
    /// - Throws: `.unknownProperty` if the entity has no property with this name; `.wrongType` if the property is no
    ///   fetched property of such objects; otherwise the same errors as a fetch.
    public final func fetchedObjects<Object: ManagedObject>(
        _ name: String, as objectClass: Object.Type = Object.self
    ) throws(GraphError) -> [Object] {
        // Otherwise, objects of a class that the context has not met would have no class of their own.
        if Object.self != ManagedObject.self {
            _ = try managedObjectContext?.kinds.kind(of: Object.self)
        }
        if let objects = try value(forKey: name) as? [Object] { return objects }
        throw .wrongType(
            entity: entity.name, property: name,
            expected: "a fetched property of objects of the class \(Object.self)",
            found: "another property")
    }
}
