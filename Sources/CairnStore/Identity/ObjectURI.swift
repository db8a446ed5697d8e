import CairnModel
import Foundation

/// The components of an object ID's URI.
package struct ObjectURI: Sendable, Hashable {
    /// The identifier of the store. Empty for a temporary ID.
    package let storeIdentifier: String
    /// The entity's name in the URI, percent-decoded. If Cairn wrote the URI, this is the concrete
    /// entity. Whether a model has the entity is not checked.
    package let entityName: String
    /// The object's key. `nil` for a temporary ID, and if the text after the `p` contains anything
    /// but decimal digits, or is a number that is greater than `Int64.max`.
    package let key: Int64?

    /// Parses a URI. Returns `nil` if it does not have the form of
    /// ``ObjectID/uriRepresentation()``.
    package init?(_ url: URL) {
        guard url.scheme == "x-coredata",
            let path = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedPath
        else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, !parts[1].isEmpty, let kind = parts[2].first,
            let name = parts[1].removingPercentEncoding
        else { return nil }
        storeIdentifier = (url.host ?? "").uppercased()
        entityName = name
        switch kind {
        case "p":
            guard let text = parts[2].dropFirst().removingPercentEncoding else { return nil }
            let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            key = isNumber ? Int64(text) : nil
        case "t": key = nil
        default: return nil
        }
    }

    /// Percent-encodes a name as one path component.
    static func encoded(_ name: String) -> String {
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/"))
        return name.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}

extension PersistentStore {
    /// Returns the ID that a URI stands for. Does not check whether the object exists, and does not
    /// compare the store's identifier.
    ///
    /// Returns `nil` if the URI has no key, or if the model does not have the entity.
    package func objectID(for uri: ObjectURI) -> ObjectID? {
        guard let key = uri.key, let entity = request.model.entity(named: uri.entityName) else {
            return nil
        }
        return ObjectID(
            store: number, rootEntity: entity.rootEntity.number, entity: entity.number, key: key)
    }
}

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

    /// The store, if this process knows it, and the name of the entity.
    package var names: (entry: StoreDirectory.Entry?, entity: String) {
        let entry = StoreDirectory.shared.entry(for: store)
        return (entry, entry?.name(of: entity) ?? "\(entity.rawValue)")
    }

    private var keyText: String {
        isTemporary ? "t\(store.rawValue & 0x7fff_ffff)-\(key.magnitude)" : "p\(key)"
    }
}
