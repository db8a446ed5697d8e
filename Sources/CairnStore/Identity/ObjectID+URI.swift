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

/// The parts of an object ID's URI.
public struct ObjectURI: Sendable, Hashable {
    /// Identifier of the store; empty for a temporary ID.
    public let storeIdentifier: String
    /// The entity as the URI names it, percent-decoded. The concrete one where Cairn wrote the URI;
    /// whether any model has it is not checked.
    public let entityName: String
    /// The key; nil for a temporary ID.
    public let key: Int64?

    /// Reads a URI; nil where it has not the form of ``ObjectID/uriRepresentation``.
    public init?(_ url: URL) {
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
            let digits = parts[2].dropFirst()
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let key = Int64(digits)
            else { return nil }
            self.key = key
        case "t": key = nil
        default: return nil
        }
    }

    /// The name as one component of a path.
    fileprivate static func encoded(_ name: String) -> String {
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/"))
        return name.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}
