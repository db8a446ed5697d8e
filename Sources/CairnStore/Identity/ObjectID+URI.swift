import CairnModel
import Foundation

extension ObjectID: CustomStringConvertible {
    /// A textual representation of the ID, in Core Data's form.
    ///
    /// A permanent ID has the form `x-coredata://<store identifier>/<Entity>/p<key>`. A temporary
    /// ID has the form `x-coredata:///<Entity>/t<space>-<key>`, which has no meaning in another
    /// process.
    public var description: String {
        let (entry, name) = names
        return "x-coredata://\(isTemporary ? "" : entry?.identifier ?? "")/\(name)/\(keyText)"
    }

    /// Returns the ID as a URL in Core Data's form, which stays valid after the program has ended.
    ///
    /// The URL has the form of ``description``. Special characters in the entity's name are
    /// percent-encoded, including slashes. The URL of a temporary ID cannot be used to find the
    /// object.
    public func uriRepresentation() -> URL {
        let (entry, name) = names
        var components = URLComponents()
        components.scheme = "x-coredata"
        components.host = isTemporary ? "" : entry?.identifier ?? ""
        components.percentEncodedPath = "/\(ObjectURI.encoded(name))/" + keyText
        // Host and name are percent-encoded, so `url` is never `nil`.
        return components.url ?? URL(fileURLWithPath: description)
    }

    private var names: (entry: StoreDirectory.Entry?, entity: String) {
        let entry = StoreDirectory.shared.entry(for: store)
        return (entry, entry?.name(of: entity) ?? "\(entity.rawValue)")
    }

    private var keyText: String {
        isTemporary ? "t\(store.rawValue & 0x7fff_ffff)-\(key.magnitude)" : "p\(key)"
    }
}
