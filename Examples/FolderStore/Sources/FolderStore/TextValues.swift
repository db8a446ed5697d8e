import CairnModel
import CairnStore
import Foundation

/// The values of one entity's rows as texts that a person can read.
struct TextValues {
    private let layout: RowLayout

    init(_ layout: RowLayout) { self.layout = layout }

    /// The values by name; one that is nil is absent.
    ///
    /// - Throws: `.unsupportedValue` for a composite, or bytes that another store keeps.
    func texts(of row: Row) throws(StoreError) -> [String: String] {
        var texts: [String: String] = [:]
        for (property, slot) in zip(layout.properties, layout.slots) where !row.isNull(slot) {
            guard let text = text(row.value(slot), slot.kind) else {
                throw .unsupportedValue(
                    entity: layout.entity.name, attribute: property.name,
                    reason: "a folder store cannot write it as a text")
            }
            texts[property.name] = text
        }
        return texts
    }

    private func text(_ value: Value, _ kind: RowLayout.Kind) -> String? {
        switch value {
        case .boolean(let it): "\(it)"
        case .integer(let it): "\(it)"
        case .double(let it): "\(it)"
        case .float(let it): "\(it)"
        case .date(let it): "\(it.timeIntervalSinceReferenceDate)"
        case .decimal(let it): "\(it)"
        case .string(let it): kind == .string ? it : nil
        case .uri(let it): it.absoluteString
        case .uuid(let it): it.uuidString
        case .binary(let it), .transformable(let it): it.base64EncodedString()
        case .objectID(let it): it.text(in: layout.entity.model)
        case .null, .composite: nil
        }
    }

    /// The row of the texts; nil where one is not of its type.
    func row(_ texts: [String: String], key: Int64, _ version: Int64, _ store: StoreNumber) -> Row?
    {
        var writer = RowWriter(store: store)
        writer.begin(layout, key: key, version: version)
        for (property, slot) in zip(layout.properties, layout.slots) {
            guard let text = texts[property.name] else { continue }
            guard let value = value(text, slot.kind, store),
                (try? writer.set(value, at: slot, of: layout)) != nil
            else { return nil }
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    private func value(_ text: String, _ kind: RowLayout.Kind, _ store: StoreNumber) -> Value? {
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
        case .toOne: ObjectID(text: text, in: layout.entity.model, store: store).map(Value.objectID)
        case .composite: nil
        }
    }
}

extension ObjectID {
    /// Reads `"Album/7"`; nil where the text is not of that form or the model has no such entity.
    init?(text: String, in model: ManagedObjectModel, store: StoreNumber) {
        let parts = text.split(separator: "/")
        guard parts.count == 2, let entity = model.entity(named: String(parts[0])),
            let key = Int64(parts[1])
        else { return nil }
        self.init(
            store: store, rootEntity: entity.rootEntity.number, entity: entity.number, key: key)
    }

    /// `"Album/7"`.
    func text(in model: ManagedObjectModel) -> String {
        "\(model.entity(numbered: entity)?.name ?? "")/\(key)"
    }
}

extension RowLayouts {
    /// The value of a property of a row; nil where the row's entity has none of that name.
    func value(_ name: String, of row: Row) -> Value {
        guard let slot = layout(of: row.entity)?.slot(named: name) else { return .null }
        return row.value(slot)
    }
}
