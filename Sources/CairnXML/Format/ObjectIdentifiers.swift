import CairnAtomicStore
import CairnEngineKit
import CairnModel
import CairnStore

/// Converts between identifiers, which are unique in a document, and keys, which are unique in a root entity.
///
/// In Core Data's files, identifiers are keys, and no two objects have the same key, whatever their root
/// entities. In new files, an identifier is `key × number of root entities + index of the root entity`. The
/// metadata lists the root entities of such a file.
struct ObjectIdentifiers {
    /// The root entities by index, and 0 for an entity that the model does not have. If `nil`, identifiers are
    /// keys.
    let roots: [EntityNumber]?

    /// Returns the identifier for a key, or `nil` if it does not fit in 63 bits.
    func identifier(root: EntityNumber, key: Int64) -> Int64? {
        guard let roots else { return key }
        guard let index = roots.firstIndex(of: root) else { return nil }
        let (product, overflow) = key.multipliedReportingOverflow(by: Int64(roots.count))
        let (sum, isTooLarge) = product.addingReportingOverflow(Int64(index))
        return overflow || isTooLarge || key < 1 ? nil : sum
    }

    /// Returns the identifier for a key.
    ///
    /// - Throws: `.keysExhausted` if it does not fit in 63 bits.
    func number(
        root: EntityNumber, key: Int64, in content: StoreContent
    ) throws(StoreError) -> Int64 {
        if let number = identifier(root: root, key: key) { return number }
        let name = content.layouts.model.entity(numbered: root)?.name
        throw .keysExhausted(entity: name ?? "\(root.rawValue)")
    }

    /// Returns whether an identifier is enough to know that its object belongs to the root entity. If it
    /// returns `false`, the object must be looked up.
    func names(root: EntityNumber, _ identifier: Int64) -> Bool {
        guard let roots, let index = roots.firstIndex(of: root) else { return false }
        let count = Int64(roots.count)
        return identifier % count == Int64(index) && identifier >= count
    }

    /// Returns the key for an identifier of an object of a root entity.
    ///
    /// A program that does not know this scheme may have added objects with identifiers higher than all
    /// others. The key of such an object is the identifier itself.
    func key(of identifier: Int64, root: EntityNumber) -> Int64 {
        guard let roots, let index = roots.firstIndex(of: root) else { return identifier }
        let count = Int64(roots.count)
        return identifier % count == Int64(index) && identifier >= count
            ? identifier / count : identifier
    }
}
