import CairnAtomicStore
import CairnModel
import CairnStore

/// How a root entity and a key make an identifier, a number that is unique in a document.
///
/// In files of Core Data, an identifier is a key, and the keys of all root entities differ. In new
/// files, an identifier is `key × number of root entities + index of the root entity`. The metadata
/// lists the root entities of such a file.
struct ObjectIdentifiers {
    /// The root entities by index. `nil` means that identifiers are keys.
    let roots: [EntityNumber]?

    /// Returns the identifier. Returns `nil` if it would not fit 63 bits.
    func identifier(root: EntityNumber, key: Int64) -> Int64? {
        guard let roots else { return key }
        guard let index = roots.firstIndex(of: root) else { return nil }
        let (product, overflow) = key.multipliedReportingOverflow(by: Int64(roots.count))
        let (sum, isTooLarge) = product.addingReportingOverflow(Int64(index))
        return overflow || isTooLarge || key < 1 ? nil : sum
    }

    /// Returns the identifier.
    ///
    /// - Throws: `.keysExhausted` if it would not fit 63 bits.
    func number(
        root: EntityNumber, key: Int64, in content: AtomicContent
    ) throws(StoreError) -> Int64 {
        if let number = identifier(root: root, key: key) { return number }
        let name = content.layouts.model.entity(numbered: root)?.name
        throw .keysExhausted(entity: name ?? "\(root.rawValue)")
    }

    /// Whether an identifier itself says that its object is of the root entity. Returns `false` if
    /// the object has to be looked up.
    func names(root: EntityNumber, _ identifier: Int64) -> Bool {
        guard let roots, let index = roots.firstIndex(of: root) else { return false }
        let count = Int64(roots.count)
        return identifier % count == Int64(index) && identifier >= count
    }

    /// Returns the key of an identifier in a root entity.
    ///
    /// A program that does not know the scheme may have added objects, with identifiers above all
    /// others. Such an identifier is the key.
    func key(of identifier: Int64, root: EntityNumber) -> Int64 {
        guard let roots, let index = roots.firstIndex(of: root) else { return identifier }
        let count = Int64(roots.count)
        return identifier % count == Int64(index) && identifier >= count
            ? identifier / count : identifier
    }
}
