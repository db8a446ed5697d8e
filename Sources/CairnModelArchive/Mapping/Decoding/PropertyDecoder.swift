import CairnModel

/// Decodes the descriptions of attributes, relationships and fetched properties.
enum PropertyDecoder {
    /// Returns the property, or `nil` for a fetched property without a fetch request, which has no values.
    static func property(
        _ object: ArchivedObject, named key: String, in entity: String
    ) throws(ModelArchiveError) -> PropertyDescription? {
        let name = try object.string("NSPropertyName") ?? key
        let qualifiedName = "\(entity).\(name)"
        if object.isKind(of: "NSAttributeDescription") {
            return .attribute(try attribute(object, named: name, qualifiedName: qualifiedName))
        }
        if object.isKind(of: "NSRelationshipDescription") {
            return .relationship(
                try relationship(object, named: name, qualifiedName: qualifiedName))
        }
        if object.isKind(of: "NSFetchedPropertyDescription") {
            return try fetchedProperty(object, named: name).map { .fetchedProperty($0) }
        }
        throw .wrongValue(
            object: qualifiedName, key: "$class",
            detail: "\(object.className) is not a kind of property")
    }

    static func attribute(
        _ object: ArchivedObject, named name: String, qualifiedName: String
    ) throws(ModelArchiveError) -> AttributeDescription {
        guard let number = try object.integer("NSAttributeType") else {
            throw .wrongValue(
                object: qualifiedName, key: "NSAttributeType", detail: "the attribute has no type")
        }
        guard let raw = Int32(exactly: number), let type = AttributeType(rawValue: raw) else {
            throw .wrongValue(
                object: qualifiedName, key: "NSAttributeType", detail: "type \(number) is unknown")
        }
        var attribute = AttributeDescription(name, type)
        attribute.isOptional = try object.boolean("NSIsOptional")
        attribute.isTransient = try object.boolean("NSIsTransient")
        attribute.defaultValue =
            try ValueDecoder.value(object.value("NSDefaultValue"), as: type) ?? .null
        attribute.validationRules = try ValidationDecoder.rules(of: object, type: type)
        attribute.valueTransformerName = try object.string("NSValueTransformerName")
        attribute.valueClassName = try valueClassName(of: object, type: type)
        try readFlags(of: object, into: &attribute)
        attribute.renamingIdentifier = try EntityDecoder.renamingIdentifier(of: object, named: name)
        attribute.versionHashModifier = try object.string("NSVersionHashModifier")
        attribute.userInfo = try EntityDecoder.userInfo(of: object)
        attribute.unreadableValues = try EntityDecoder.userInfo(
            of: object, ArchiveKey.unreadableValues)
        if object.isKind(of: "NSDerivedAttributeDescription") {
            attribute.derivation = try derivation(object)
        }
        if type == .composite {
            attribute.compositeName = try CompositeDecoder.name(
                of: object, attribute: qualifiedName)
        }
        return attribute
    }

    private static func derivation(_ object: ArchivedObject) throws(ModelArchiveError) -> Derivation
    {
        let expression = try object.value("NSDerivationExpression")
        // A derivation of an unsupported form is left empty. The store's triggers compute it nevertheless.
        let text =
            try object.string(ArchiveKey.expressionText) ?? ExpressionText.text(of: expression)
        let filter = try PredicateDecoder.predicate(object.value("NSFilteringPredicate")).predicate
        return Derivation(expression: text ?? "", filter: filter)
    }

    /// Returns the name of the attribute's value class, or `nil` if it is the default class of the type.
    private static func valueClassName(
        of object: ArchivedObject, type: AttributeType
    ) throws(ModelArchiveError) -> String? {
        if let name = try object.string(ArchiveKey.valueClassName) { return name }
        let name = try object.string("NSAttributeValueClassName")
        return name == type.archivedClassName || name == "" ? nil : name
    }

    private static func readFlags(
        of object: ArchivedObject, into attribute: inout AttributeDescription
    ) throws(ModelArchiveError) {
        let flags = try object.integer("NSFlagsKey") ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & PropertyFlags.external != 0
        attribute.preservesValueInHistoryOnDeletion = flags & PropertyFlags.preserved != 0
        attribute.isIndexed = try object.boolean("NSIsIndexed")
        attribute.isIndexedBySpotlight = try object.boolean("NSIndexedBySpotlight")
        attribute.allowsCloudEncryption = try object.boolean("NSAllowsCloudEncryption")
        attribute.isSyncable = try !object.boolean(ArchiveKey.isNotSyncable)
        attribute.usesScalarValueType = try object.boolean(ArchiveKey.usesScalarValueType)
    }

    private static func relationship(
        _ object: ArchivedObject, named name: String, qualifiedName: String
    ) throws(ModelArchiveError) -> RelationshipDescription {
        let target = try object.object("NSDestinationEntity")?.string("NSEntityName")
        guard let destination = try object.string("_NSDestinationEntityName") ?? target else {
            throw .wrongValue(
                object: qualifiedName, key: "NSDestinationEntity",
                detail: "the relationship has no destination")
        }
        let back = try object.object("NSInverseRelationship")?.string("NSPropertyName")
        let inverse = try object.string("_NSInverseRelationshipName") ?? back
        let maximum = try object.integer("NSMaxCount") ?? 0
        // Archives do not contain whether a relationship is to-many. Core Data derives it from the maximum.
        var relationship = RelationshipDescription(
            name, to: destination, isToMany: maximum != 1, inverse: inverse == "" ? nil : inverse)
        relationship.maximumCount = maximum
        relationship.minimumCount = try object.integer("NSMinCount") ?? 0
        relationship.deleteRule =
            DeleteRule(rawValue: try object.integer("NSDeleteRule") ?? 0) ?? .nullify
        relationship.isOrdered = try object.boolean("NSIsOrdered")
        relationship.isOptional = try object.boolean("NSIsOptional")
        relationship.isTransient = try object.boolean("NSIsTransient")
        relationship.isIndexed = try object.boolean("NSIsIndexed")
        relationship.isSyncable = try !object.boolean(ArchiveKey.isNotSyncable)
        relationship.renamingIdentifier = try EntityDecoder.renamingIdentifier(
            of: object, named: name)
        relationship.versionHashModifier = try object.string("NSVersionHashModifier")
        relationship.userInfo = try EntityDecoder.userInfo(of: object)
        return relationship
    }

    private static func fetchedProperty(
        _ object: ArchivedObject, named name: String
    ) throws(ModelArchiveError) -> FetchedPropertyDescription? {
        let entity = try object.string("_NSFetchRequestEntityName")
        guard let request = try object.object("NSFetchRequest"),
            let template = try FetchRequestDecoder.template(request, entity: entity)
        else { return nil }
        var fetched = FetchedPropertyDescription(name, template)
        fetched.isOptional = try object.boolean("NSIsOptional")
        fetched.renamingIdentifier = try EntityDecoder.renamingIdentifier(of: object, named: name)
        fetched.userInfo = try EntityDecoder.userInfo(of: object)
        return fetched
    }
}

extension AttributeType {
    /// The class of the type's values in archives, or `nil` if the type has no such class.
    var archivedClassName: String? {
        switch self {
        case .undefined, .transformable: nil
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .composite: "NSDictionary"
        case .date: "NSDate"
        case .binary: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .objectID: "NSManagedObjectID"
        }
    }
}

/// The bits of `_P`, which duplicates information from other keys.
struct PropertyFlags: OptionSet {
    let rawValue: Int64

    /// The bits of `NSFlagsKey`, another number.
    static let external = 4
    static let preserved = 16

    static let optional = Self(rawValue: 0x02)
    static let readOnly = Self(rawValue: 0x04)
    static let transient = Self(rawValue: 0x08)
    static let withoutValidation = Self(rawValue: 0x30)
    static let withoutUserInfo = Self(rawValue: 0x40)
    static let withoutModifier = Self(rawValue: 0x80)
    static let spotlight = Self(rawValue: 0x100)
    static let ordered = Self(rawValue: 0x400)
    static let cloudEncryption = Self(rawValue: 0x800)
    /// The bits of a property for which nothing else is set.
    static let always = Self(rawValue: 0xF1)
}

/// Converts between the text and the archived form of expressions in derivations and indexes.
///
/// Authors write `tags.@count` and `pages.@sum.number`, but archives contain `count:(tags)` and
/// `sum:(pages.number)`. Only the form of `count:` was observed; we assume that the others are similar.
enum ExpressionText {
    private static let summaries = [
        "count:": "@count", "sum:": "@sum", "min:": "@min", "max:": "@max", "average:": "@avg",
    ]

    /// Returns the text of an archived expression, or `nil` if its form is not supported.
    static func text(of value: ArchivedValue) -> String? {
        PredicateDecoder.expression(value).map { text($0) }
    }

    /// Returns the text of an expression, such as `canonical:(name)`, `tags.@count`, `pages.@sum.number`,
    /// `now()`, `author.name` or `SELF`.
    static func text(_ expression: FetchExpression) -> String {
        guard case .function(let name, let arguments) = expression,
            let operation = summaries[name], arguments.count == 1,
            case .keyPath(var names) = arguments[0], let last = names.last
        else { return expression.description }
        if name == "count:" { return (names + [operation]).joined(separator: ".") }
        guard names.count > 1 else { return expression.description }
        names[names.count - 1] = operation
        return (names + [last]).joined(separator: ".")
    }

    /// Returns the expression to archive for a string, or `nil` if the string cannot be parsed.
    static func expression(_ text: String) -> FetchExpression? {
        guard let expression = try? FetchExpression(format: text) else { return nil }
        guard case .keyPath(var names) = expression,
            let index = names.firstIndex(where: { $0.hasPrefix("@") }), index > 0,
            let function = summaries.first(where: { $0.value == names[index] })?.key
        else { return expression }
        names.remove(at: index)
        return .function(function, [.keyPath(names)])
    }
}
