import CairnModel
import CairnStore

/// How the objects of each entity are written. Bytes that are the same in each object are made once.
///
/// The forms refer to each other by index in a few arrays, so that writing an object changes no
/// reference count.
struct ObjectForms: ~Copyable {
    struct Object {
        /// The bytes of its element before its identifier.
        let start: Range<Int>
        let attributes: Range<Int>
        let relationships: Range<Int>
    }

    struct Attribute {
        let slot: RowLayout.Slot
        /// The bytes of its element up to the last quote of its type.
        let start: Range<Int>
    }

    /// A relationship, which is written even if it has no destination.
    struct Relationship {
        /// The slot of a to-one. `nil` for a to-many.
        let slot: RowLayout.Slot?
        /// The bytes of its element up to the last quote of its destination.
        let start: Range<Int>
    }

    /// By entity number, from 1 at index 0.
    private(set) var objects: [Object] = []
    private(set) var attributes: [Attribute] = []
    private(set) var relationships: [Relationship] = []
    /// The relationship of each of ``relationships``.
    private(set) var properties: [CairnModel.Relationship] = []
    /// The bytes that all starts are ranges of.
    private(set) var bytes = DocumentBytes(capacity: 4096)

    /// - Throws: `.unsupportedValue` for a name that XML cannot hold.
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
                    reason: "its name has a character that XML cannot hold")
            }
            writer.append(key, value)
        }
        let offset = bytes.count
        bytes.append(writer.bytes)
        return offset..<bytes.count
    }
}

extension RowLayout.Kind {
    /// The value of `type` in an attribute's element. `nil` for a to-one.
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
