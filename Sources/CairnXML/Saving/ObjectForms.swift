import CairnModel
import CairnRows
import CairnStore

/// The parts of the XML elements for each entity's objects. Bytes that are the same in all objects of an
/// entity are created only once.
///
/// The parts refer to each other by index in a few arrays, so that writing an object changes no reference
/// counts.
struct ObjectForms: ~Copyable {
    struct Object {
        /// The bytes of the element before the identifier.
        let start: Range<Int>
        let attributes: Range<Int>
        let relationships: Range<Int>
    }

    struct Attribute {
        let slot: RowLayout.Slot
        /// The bytes of the element up to the closing quote of the type.
        let start: Range<Int>
    }

    /// A relationship. Its element is written even if it has no destinations.
    struct Relationship {
        /// The slot of a to-one, or `nil` for a to-many.
        let slot: RowLayout.Slot?
        /// The bytes of the element up to the closing quote of the destination.
        let start: Range<Int>
    }

    /// The objects by entity. The entity with number 1 has index 0.
    private(set) var objects: [Object] = []
    private(set) var attributes: [Attribute] = []
    private(set) var relationships: [Relationship] = []
    /// The relationships of the model, in the order of ``relationships``.
    private(set) var properties: [CairnModel.Relationship] = []
    /// The bytes to which the ranges refer.
    private(set) var bytes = DocumentBytes(capacity: 4096)

    /// - Throws: `.unsupportedValue` for a name that XML cannot represent.
    init(_ layouts: RowLayouts, _ names: NameTable) throws(StoreError) {
        for entity in layouts.model.entities {
            try add(layouts.layout(of: entity), names)
        }
    }

    private mutating func add(_ layout: RowLayout, _ names: NameTable) throws(StoreError) {
        let entity = layout.entity
        let (first, firstRelationship) = (attributes.count, relationships.count)
        let head = try tag("    <object", [("type", names.name(of: entity))], entity)
        bytes.append(" id=\"z")
        let start = head.lowerBound..<bytes.count
        for (property, slot) in zip(layout.properties, layout.slots) {
            guard let type = slot.kind.typeName else { continue }
            let words = [("name", names.name(of: property.name, of: entity)), ("type", type)]
            attributes.append(
                Attribute(slot: slot, start: try tag("        <attribute", words, entity)))
        }
        for relationship in entity.relationships where !relationship.isTransient {
            try add(relationship, layout, names)
        }
        objects.append(
            Object(
                start: start, attributes: first..<attributes.count,
                relationships: firstRelationship..<relationships.count))
    }

    private mutating func add(
        _ relationship: CairnModel.Relationship, _ layout: RowLayout, _ names: NameTable
    ) throws(StoreError) {
        let slot = relationship.isToMany ? nil : relationship.rowSlot.map { layout.slots[$0] }
        let words = [
            ("name", names.name(of: relationship.name, of: layout.entity)),
            ("type", relationship.isToMany ? "0/0" : "1/1"),
            ("destination", names.name(of: relationship.destination)),
        ]
        let start = try tag("        <relationship", words, layout.entity)
        relationships.append(Relationship(slot: slot, start: start))
        properties.append(relationship)
    }

    private mutating func tag(
        _ start: String, _ words: [(String, String)], _ entity: Entity
    ) throws(StoreError) -> Range<Int> {
        var writer = XMLWriter()
        writer.append(start)
        for (key, value) in words {
            guard XMLText.canHold(value) else {
                throw .unsupportedValue(
                    entity: entity.name, attribute: value,
                    reason: "its name contains a character that XML cannot represent")
            }
            writer.append(key, value)
        }
        let offset = bytes.count
        bytes.append(writer.bytes)
        return offset..<bytes.count
    }
}

extension RowLayout.Kind {
    /// The `type` of an `attribute` element, or `nil` for a to-one.
    fileprivate var typeName: String? {
        switch self {
        case .boolean: "bool"
        case .int16: "int16"
        case .int32: "int32"
        case .int64: "int64"
        case .float: "float"
        case .double: "double"
        case .date: "date"
        case .decimal: "decimal"
        case .uuid: "uuid"
        case .string: "string"
        case .uri: "uri"
        case .binary, .transformable, .externalBinary: "binary"
        case .composite: "composite"
        case .toOne: nil
        }
    }
}
