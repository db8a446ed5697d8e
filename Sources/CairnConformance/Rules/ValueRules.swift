import CairnModel
import CairnRows
import CairnStore
import Foundation

let valueRules: [ConformanceRule] =
    KitModel.attributes.map { (name, type) in
        ConformanceRule(
            "every \(type) is read as it was saved, or refused if the engine declares it inexact",
            proves: [
                "SaveTransaction.prepare(_:): .unsupportedValue",
                "StoreCapabilities.Fidelity.exact: Every value is read",
                "StoreCapabilities.Fidelity.partial: A save that contains",
                "StoreCapabilities.Fidelity.none: No value of the",
            ]
        ) { subject in
            for sample in ValueSamples.extremes(type) {
                try requireFaithful(subject, name, type, sample.value, sample.label)
            }
        }
    } + [
        ConformanceRule(
            "nil is read as nil in every attribute",
            proves: ["StoreCapabilities.Fidelity.exact: Every value is read"]
        ) { subject in
            let id = try subject.insert("Sample")
            for (name, type) in KitModel.attributes {
                try requireEqual(
                    try subject.value(name, of: id), .null, "the \(type) that is nil")
            }
        },
        ConformanceRule(
            "empty text and empty bytes are not nil",
            proves: ["StoreCapabilities.Fidelity.exact: Every value is read"]
        ) { subject in
            let id = try subject.insert(
                "Sample", ["text": "", "bytes": .binary(Data()), "archive": .transformable(Data())])
            let nothing = try subject.insert("Sample")
            try requireEqual(try subject.value("text", of: id), "", "the empty text")
            try requireEqual(try subject.value("bytes", of: id), .binary(Data()), "empty bytes")
            try requireEqual(
                try subject.value("archive", of: id), .transformable(Data()), "an empty archive")
            try requireEqual(
                try subject.ids(try subject.plan("Sample", "text == nil")), [nothing],
                "the objects whose text is nil")
        },
        ConformanceRule(
            "the values of one row do not affect each other",
            proves: ["StoreCapabilities.Fidelity.exact: Every value is read"]
        ) { subject in
            var values: [String: Value] = ["name": "all at once"]
            for (name, type) in KitModel.attributes {
                let sample = ValueSamples.short(type).first { entry in
                    let capabilities = subject.harness.engine.capabilities
                    return capabilities.fidelity(of: type) == .exact || entry.label == "3"
                        || entry.label == "full" || entry.label == "2001"
                }
                if capabilitiesKeepNothing(subject, type) { continue }
                values[name] = sample?.value
            }
            let id = try subject.insert("Sample", values)
            for (name, value) in values {
                try requireEqual(try subject.value(name, of: id), value, "the value of \(name)")
            }
        },
        ConformanceRule(
            "binary data of any size that may be stored externally is read as it was saved",
            proves: ["StoreSnapshot.externalData(_:): Returns the bytes that"]
        ) {
            subject in
            let sizes = [0, 1, 100, 1023, 1024, 102_400, 102_401, 1 << 20, 10 << 20]
            let blobs = sizes.map(pattern)
            let ids = try subject.insertAll("File", blobs.map { ["blob": .binary($0)] })
            let snapshot = try subject.store.snapshot()
            for (id, blob) in zip(ids, blobs) {
                try require(
                    try subject.value("blob", of: id, in: snapshot) == .binary(blob),
                    "\(blob.count) bytes come back as they were")
            }
        },
        ConformanceRule(
            "binary data that may be stored externally can be replaced and set to nil",
            proves: ["StoreSnapshot.externalData(_:): Returns the bytes that"]
        ) {
            subject in
            let big = Data(repeating: 7, count: 200_000)
            let id = try subject.insert("File", ["blob": .binary(big)])
            let other = Data(repeating: 9, count: 300_000)
            try subject.save { try $0.update("File", id, ["blob": .binary(other)]) }
            try require(
                try subject.value("blob", of: id) == .binary(other), "the new bytes come back")
            try subject.save { try $0.update("File", id, from: 2) }
            try requireEqual(
                try subject.value("blob", of: id), .null, "the bytes that were set to nil")
        },
        ConformanceRule(
            "an update that refers to the row's external data keeps the data",
            proves: ["SaveTransaction.prepare(_:): A row may refer"]
        ) {
            subject in
            let big = Data(repeating: 7, count: 200_000)
            let id = try subject.insert("File", ["name": "old", "blob": .binary(big)])
            let old = try requireValue(try subject.row(of: id), "the row")
            try subject.save { draft in
                draft.request.updated.append(try renamed(old, "new", in: subject))
            }
            try requireEqual(try subject.value("name", of: id), "new", "the changed value")
            try require(
                try subject.value("blob", of: id) == .binary(big), "the bytes are unchanged")
        },
    ]

/// Returns bytes of which each is followed by another one.
private func pattern(_ byteCount: Int) -> Data {
    var bytes = Data((0..<256).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    while bytes.count < byteCount { bytes += bytes }
    return Data(bytes.prefix(byteCount))
}

/// Returns whether the engine cannot keep values of the type.
private func capabilitiesKeepNothing(_ subject: StoreSubject, _ type: AttributeType) -> Bool {
    subject.harness.engine.capabilities.fidelity(of: type) == .none
}

/// Returns the next version of a file's row with another name. The file's bytes are not moved.
private func renamed(
    _ row: Row, _ name: String, in subject: StoreSubject
) throws -> RowUpdate {
    let layout = try requireValue(subject.layouts.layout(of: row.entity), "the layout")
    var writer = RowWriter(store: subject.store.number)
    writer.begin(layout, key: row.key, version: row.version + 1)
    var changed = SlotSet()
    for (property, slot) in zip(layout.properties, layout.slots) {
        if property.name == "name" {
            try writer.set(name, at: slot)
            changed.insert(Int(slot.index))
        } else if !row.isNull(slot) {
            try writer.set(row.externalBinary(slot), at: slot)
        }
    }
    writer.endRow()
    return RowUpdate(
        row: writer.takeBatch()[row: 0], previousVersion: row.version, changedSlots: changed)
}

/// Saves a value and checks what the engine's fidelity for the type promises.
private func requireFaithful(
    _ subject: StoreSubject, _ name: String, _ type: AttributeType, _ value: Value,
    _ label: String
) throws {
    let fidelity = subject.harness.engine.capabilities.fidelity(of: type)
    do {
        let id = try subject.insert("Sample", [name: value])
        try require(
            fidelity != .none, "“\(label)” is refused, because the engine stores no \(type)")
        try require(
            try subject.value(name, of: id) == value, "the \(type) “\(label)” comes back equal")
    } catch StoreError.unsupportedValue(let entity, let attribute, _) {
        try require(
            fidelity != .exact,
            "the \(type) “\(label)” is stored, because the engine declares the type as exact")
        try requireEqual(entity, "Sample", "the entity in the error")
        try requireEqual(attribute, name, "the attribute in the error")
    }
}
