import CairnModel
import Foundation

extension ObjectID: CustomStringConvertible {
    /// The ID as text, in Core Data's form.
    ///
    /// Permanent: `x-coredata://<store identifier>/<Entity>/p<key>`. Temporary:
    /// `x-coredata:///<Entity>/t<space>-<key>`, which means nothing in another process.
    public var description: String {
        let entry = StoreDirectory.shared.entry(for: store)
        let name = entry?.name(of: entity) ?? "\(entity.rawValue)"
        return isTemporary
            ? "x-coredata:///\(name)/t\(store.rawValue & 0x7fff_ffff)-\(key.magnitude)"
            : "x-coredata://\(entry?.identifier ?? "")/\(name)/p\(key)"
    }

    /// The ID as a URL; see ``description``. What is special in URLs is percent-encoded, a slash in
    /// the entity's name too.
    public var uriRepresentation: URL {
        let entry = StoreDirectory.shared.entry(for: store)
        let name = entry?.name(of: entity) ?? "\(entity.rawValue)"
        var components = URLComponents()
        components.scheme = "x-coredata"
        components.host = isTemporary ? "" : entry?.identifier ?? ""
        components.percentEncodedPath =
            "/\(ObjectURI.encoded(name))/"
            + (isTemporary ? "t\(store.rawValue & 0x7fff_ffff)-\(key.magnitude)" : "p\(key)")
        // Host and name are percent-encoded, so there always is a URL.
        return components.url ?? URL(fileURLWithPath: description)
    }
}
