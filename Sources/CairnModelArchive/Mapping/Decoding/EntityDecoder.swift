import CairnModel

/// Decodes `NSEntityDescription`.
enum EntityDecoder {
    static func entity(
        _ object: ArchivedObject, named key: String
    ) throws(ModelArchiveError) -> EntityDescription {
        let name = try object.string("NSEntityName") ?? key
        var entity = EntityDescription(name)
        entity.superentity = try object.object("NSSuperentity")?.string("NSEntityName")
        entity.isAbstract = try object.boolean("NSIsAbstract")
        entity.managedObjectClassName = try className(of: object)
        entity.properties = try properties(of: object, in: name)
        entity.uniquenessConstraints = try nameLists(object, "NSUniqueTuples")
        entity.compoundIndexes = try nameLists(object, "NSCompoundIndexes")
        for value in try object.elements("NSFetchIndexDescriptions") {
            guard let index = value.object else { continue }
            if let index = try FetchIndexDecoder.index(index) {
                entity.fetchIndexes.append(index)
            }
        }
        entity.renamingIdentifier = try renamingIdentifier(of: object, named: name)
        entity.versionHashModifier = try object.string("NSVersionHashModifier")
        entity.isSyncable = try !object.boolean(ArchiveKey.isNotSyncable)
        entity.userInfo = try userInfo(of: object)
        return entity
    }

    /// Returns the name of the class, or `nil` for `NSManagedObject`, which is the default.
    private static func className(of object: ArchivedObject) throws(ModelArchiveError) -> String? {
        let name = try object.string("NSClassNameForEntity")
        return name == "NSManagedObject" || name == "" ? nil : name
    }

    private static func properties(
        of object: ArchivedObject, in entity: String
    ) throws(ModelArchiveError) -> [PropertyDescription] {
        var properties: [PropertyDescription] = []
        for (name, value) in try object.entries("NSProperties") {
            guard let archived = value.object else {
                throw .wrongValue(
                    object: "entity \(entity)", key: "NSProperties",
                    detail: "“\(name)” is not a property")
            }
            // Old caches wrap properties that a subentity inherits.
            let underlying = try archived.object("NSUnderlyingProperty")
            let property = underlying ?? archived
            if let property = try PropertyDecoder.property(property, named: name, in: entity) {
                properties.append(property)
            }
        }
        return properties.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private static func nameLists(
        _ object: ArchivedObject, _ key: String
    ) throws(ModelArchiveError) -> [[String]] {
        var lists: [[String]] = []
        for list in try object.elements(key) {
            var names: [String] = []
            for member in try list.object?.elements() ?? [] {
                // In a model that was built in code, the members are property descriptions.
                let described = try member.object?.string("NSPropertyName")
                if let name = member.string ?? described { names.append(name) }
            }
            if !names.isEmpty { lists.append(names) }
        }
        return lists
    }

    /// Returns the renaming identifier. Archives always contain one, so this returns `nil` if it is the
    /// object's own name.
    static func renamingIdentifier(
        of object: ArchivedObject, named name: String
    ) throws(ModelArchiveError) -> String? {
        let identifier = try object.string("NSRenamingIdentifier")
        return identifier == name || identifier == "" ? nil : identifier
    }

    /// Returns the user info. Numbers are converted to strings, and values of other types are left out.
    static func userInfo(
        of object: ArchivedObject, _ archiveKey: String = "NSUserInfo"
    ) throws(ModelArchiveError) -> [String: String] {
        var userInfo: [String: String] = [:]
        for (key, value) in try object.entries(archiveKey) {
            switch value {
            case .string(let text): userInfo[key] = text
            case .boolean(let value): userInfo[key] = value ? "1" : "0"
            case .integer(let value): userInfo[key] = String(value)
            case .real(let value): userInfo[key] = String(value)
            case .null, .date, .data, .object: break
            }
        }
        return userInfo
    }
}

/// Decodes `NSFetchIndexDescription`.
enum FetchIndexDecoder {
    /// Returns the index, or `nil` if it has no name, because stores cannot create such an index.
    static func index(
        _ object: ArchivedObject
    ) throws(ModelArchiveError) -> FetchIndexDescription? {
        guard let name = try object.string("NSIndexName") else { return nil }
        var index = FetchIndexDescription(name, elements: [])
        for value in try object.elements("NSIndexElements") {
            guard let element = value.object else { continue }
            index.elements.append(try self.element(element))
        }
        // If the predicate cannot be read, the index covers all objects, which include those of the partial
        // index.
        index.partialPredicate = try PredicateDecoder.predicate(
            object.value("NSPartialIndexPredicate")
        ).predicate
        return index
    }

    private static func element(
        _ object: ArchivedObject
    ) throws(ModelArchiveError) -> FetchIndexDescription.Element {
        let type =
            FetchIndexDescription.ElementType(
                rawValue: try object.integer("NSFetchIndexElementType") ?? 0) ?? .binary
        return FetchIndexDescription.Element(
            try target(of: object), type: type,
            isAscending: try object.value("NSAscending").boolean ?? true)
    }

    private static func target(
        of object: ArchivedObject
    ) throws(ModelArchiveError) -> FetchIndexDescription.Target {
        let property = try object.object("NSIndexedProperty")
        let inner = try property?.string("NSPropertyName")
        let name = try object.string("NSPropertyName") ?? inner
        if let property, property.isKind(of: "NSExpressionDescription") {
            let text = try property.string(ArchiveKey.expressionText)
            let expression = try property.value("NSExpression")
            if let text = text ?? ExpressionText.text(of: expression) ?? name {
                return .expression(text)
            }
        }
        // Core Data cannot create an element without a name, but reading one must not fail.
        guard let name else { return .expression("") }
        return name == "SELF" ? .expression(name) : .property(name)
    }
}
