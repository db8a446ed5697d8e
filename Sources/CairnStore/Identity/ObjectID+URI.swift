import CairnModel
import Foundation

extension ObjectID: CustomStringConvertible {
    /// A textual representation of the ID, in Core Data's form.
    ///
    /// A permanent ID has the form `x-coredata://<store identifier>/<Entity>/p<key>`. A temporary
    /// ID has the form `x-coredata:///<Entity>/t<space>-<key>`, which has no meaning in another
    /// process.
    ///
    /// The ID of an object of a ``ReferencingStore`` ends in `#<key>`, which has no meaning in
    /// another process either. The object's reference is not shown, because errors and logs contain
    /// this text, and the reference may be a stored value, which they must not show.
    public var description: String {
        let (entry, name) = names
        if isTemporary { return "x-coredata:///\(name)/\(temporaryText)" }
        let mark = entry?.references?.table(of: rootEntity) == nil ? "p" : "#"
        return "x-coredata://\(entry?.identifier ?? "")/\(name)/\(mark)\(key)"
    }

    /// Returns the ID as a URL in Core Data's form, which stays valid after the program has ended.
    ///
    /// The URL has the form `x-coredata://<store identifier>/<Entity>/p<reference>`. The reference
    /// is the key, or the text or UUID by which a ``ReferencingStore`` identifies the object.
    /// Special characters are percent-encoded, including slashes in the entity's name or in the
    /// reference. A text reference may be a stored value: do not log the URL if the log must not
    /// contain stored values.
    ///
    /// A temporary ID has the form of ``description``. So does the ID of a new object whose
    /// reference is not known before the object is saved. These URLs cannot be used to find the
    /// object.
    public func uriRepresentation() -> URL {
        let (entry, name) = names
        var components = URLComponents()
        components.scheme = "x-coredata"
        components.host = isTemporary ? "" : entry?.identifier ?? ""
        components.percentEncodedPath = "/\(ObjectURI.encoded(name))/" + permanentText(entry)
        // Host, name and text are percent-encoded, so `url` is never `nil`.
        return components.url ?? URL(fileURLWithPath: description)
    }

    private var names: (entry: StoreDirectory.Entry?, entity: String) {
        let entry = StoreDirectory.shared.entry(for: store)
        return (entry, entry?.name(of: entity) ?? "\(entity.rawValue)")
    }

    private var temporaryText: String { "t\(store.rawValue & 0x7fff_ffff)-\(key.magnitude)" }

    private func permanentText(_ entry: StoreDirectory.Entry?) -> String {
        if isTemporary { return temporaryText }
        guard let references = entry?.references else { return "p\(key)" }
        return references.referenceObject(for: self).map { "p" + ObjectURI.encoded($0.uriText) }
            ?? temporaryText
    }
}
