import CairnAtomicStore
import CairnModel
import CairnStore
import Foundation

/// The content of `Album-7.json`: one object, with its values as text that people can read.
struct ObjectFile: Codable {
    let entity: String, key: Int64, version: Int64
    /// The values by name. `nil` values are absent.
    private var values: [String: String] = [:]

    /// - Throws: `.unsupportedValue` if the row has a composite value.
    init(_ row: Row, _ layout: RowLayout) throws(StoreError) {
        (entity, key, version) = (layout.entity.name, row.key, row.version)
        for (property, slot) in zip(layout.properties, layout.slots) where !row.isNull(slot) {
            guard let text = Self.text(row.value(slot), layout.entity.model) else {
                throw .unsupportedValue(
                    entity: entity, attribute: property.name,
                    reason: "a folder store cannot write it as a text")
            }
            values[property.name] = text
        }
    }

    /// The name of the file. Characters in the entity's name that file names cannot contain are escaped.
    var name: String {
        let safe = entity.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "\(safe)-\(key).json"
    }

    /// Packs the object's row. Returns `false` if the model has no such entity or property.
    func write(to writer: inout RowWriter, _ store: StoreBuilder) -> Bool {
        guard let entity = store.layouts.model.entity(named: entity) else { return false }
        let layout = store.layouts.layout(of: entity)
        guard values.keys.allSatisfy({ layout.slot(named: $0) != nil }) else { return false }
        writer.begin(layout, key: key, version: version)
        defer { writer.endRow() }
        for (property, slot) in zip(layout.properties, layout.slots) {
            guard let text = values[property.name] else { continue }
            guard let value = Self.value(text, slot.kind, store),
                (try? writer.set(value, at: slot, of: layout)) != nil
            else { return false }
        }
        return true
    }

    private static func text(_ value: Value, _ model: ManagedObjectModel) -> String? {
        switch value {
        case .boolean(let it): "\(it)"
        case .integer(let it): "\(it)"
        case .double(let it): "\(it)"
        case .float(let it): "\(it)"
        case .date(let it): "\(it.timeIntervalSinceReferenceDate)"
        case .decimal(let it): "\(it)"
        case .string(let it): it
        case .uri(let it): it.absoluteString
        case .uuid(let it): it.uuidString
        case .binary(let it), .transformable(let it): it.base64EncodedString()
        case .objectID(let it): it.text(in: model)
        case .null, .composite: nil
        }
    }

    private static func value(
        _ text: String, _ kind: RowLayout.Kind, _ store: StoreBuilder
    ) -> Value? {
        switch kind {
        case .boolean: Bool(text).map(Value.boolean)
        case .int16, .int32, .int64: Int64(text).map(Value.integer)
        case .float: Float(text).map(Value.float)
        case .double: Double(text).map(Value.double)
        case .date: Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .decimal: text == "NaN" ? .decimal(.nan) : Decimal(string: text).map(Value.decimal)
        case .uuid: UUID(uuidString: text).map(Value.uuid)
        case .string: .string(text)
        case .uri: URL(string: text).map(Value.uri)
        case .binary, .externalBinary: Data(base64Encoded: text).map(Value.binary)
        case .transformable: Data(base64Encoded: text).map(Value.transformable)
        case .toOne: ObjectID(text, store).map(Value.objectID)
        case .composite: nil
        }
    }
}

extension ObjectID {
    /// Parses `"Album/7"`. Returns `nil` if the text has another form or the model has no such entity.
    init?(_ text: String, _ store: StoreBuilder) {
        guard let slash = text.lastIndex(of: "/"), let key = Int64(text[slash...].dropFirst()),
            let entity = store.layouts.model.entity(named: String(text[..<slash]))
        else { return nil }
        self.init(
            store: store.number, rootEntity: entity.rootEntity.number, entity: entity.number,
            key: key)
    }

    /// Returns the ID as text, such as `"Album/7"`.
    func text(in model: ManagedObjectModel) -> String {
        "\(model.entity(numbered: entity)?.name ?? "")/\(key)"
    }
}
