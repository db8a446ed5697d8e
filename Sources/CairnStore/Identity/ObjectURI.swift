import CairnModel
import Foundation

/// The components of an object ID's URI.
public struct ObjectURI: Sendable, Hashable {
    /// The identifier of the store. Empty for a temporary ID.
    public let storeIdentifier: String
    /// The entity's name in the URI, percent-decoded. If Cairn wrote the URI, this is the concrete
    /// entity. Whether a model has the entity is not checked.
    public let entityName: String
    /// The percent-decoded key or reference that identifies the object, or `nil` for a temporary
    /// ID.
    public let keyText: String?
    /// The key as a number. `nil` if ``keyText`` contains anything but decimal digits, or is
    /// greater than `Int64.max`.
    public var key: Int64? {
        guard let keyText, keyText.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(keyText)
    }

    /// Parses a URI. Returns `nil` if it does not have the form of
    /// ``ObjectID/uriRepresentation()``.
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
            guard let text = parts[2].dropFirst().removingPercentEncoding else { return nil }
            keyText = text
        case "t": keyText = nil
        default: return nil
        }
    }

    /// Percent-encodes a name or a text as one path component.
    static func encoded(_ name: String) -> String {
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/"))
        return name.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}
