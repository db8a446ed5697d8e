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
