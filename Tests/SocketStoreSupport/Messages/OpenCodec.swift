import CairnModel
import CairnModelArchive
import CairnRows
import CairnStore
import Foundation

extension MessageWriter {
    /// Writes a request to open a store. No other message contains the model.
    mutating func openRequest(_ request: OpenRequest, name: String) {
        text(name)
        block(ModelArchive.encode(request.model))
        integer(request.layouts.fingerprint)
        optional(request.configuration) { $0.text($1) }
        flag(request.isReadOnly)
        flag(request.createsMissing)
        values(
            Dictionary(uniqueKeysWithValues: request.options.map { ($0.key.rawValue, $0.value) }))
    }
}

extension MessageReader {
    /// Reads a request to open a store.
    ///
    /// - Parameter folder: The folder in which the server keeps its stores.
    mutating func openRequest(in folder: URL) throws(MessageDamage) -> OpenRequest {
        let name = try storeName()
        let model = try model()
        let layouts = RowLayouts(model)
        guard try integer(UInt64.self) == layouts.fingerprint else {
            throw MessageDamage("the model came over differently from how it was sent")
        }
        let configuration = try optional { reader throws(MessageDamage) in try reader.text() }
        let (isReadOnly, createsMissing) = (try flag(), try flag())
        let options = try values().map { (StoreOption(rawValue: $0.key), $0.value) }
        return OpenRequest(
            location: .file(folder.appending(path: name)), model: model, layouts: layouts,
            configuration: configuration, isReadOnly: isReadOnly, createsMissing: createsMissing,
            options: Dictionary(uniqueKeysWithValues: options))
    }

    /// Reads a name that can only lead to a file directly in the server's folder.
    private mutating func storeName() throws(MessageDamage) -> String {
        let name = try text()
        guard !name.isEmpty, ![".", ".."].contains(name), name.utf8.count <= 200,
            !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
        else { throw MessageDamage("this is no name of a store") }
        return name
    }

    private mutating func model() throws(MessageDamage) -> ManagedObjectModel {
        let bytes = try block()
        do {
            return try ManagedObjectModel(try ModelArchive.decode(bytes))
        } catch {
            throw MessageDamage("the model cannot be read: \(error)")
        }
    }
}
