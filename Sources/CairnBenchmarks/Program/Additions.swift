import Cairn
import CairnConformance
import Foundation

/// What a program adds to the rows of this module.
package struct Additions {
    /// The rows, in the order in which they are run and shown.
    package var workloads: [any Workload<Setting>] = Catalogue.workloads
    /// Returns the contenders beside Cairn.
    package var contenders: (BenchmarkRow) throws -> [Contender] = { _ in [] }
    /// Provide stores of engines outside of Cairn that are measured if they are asked for.
    package var harnesses: [any StoreHarness] = []
    /// The engine whose times are the baseline of the others, or `nil`.
    package var baseline: StoreType?
    /// Returns the checksum of all items in a closed store, without Cairn. Returns `nil` for stores that Cairn
    /// is to read.
    package var proof: (URL, StoreType) throws -> UInt64? = { _, _ in nil }
    /// Is called for each new, closed store with its folders and items.
    package var settle: (URL, StoreType) throws -> Void = { _, _ in }
    /// The versions of the measured libraries, by name.
    package var libraries: [String: String] = [:]

    package init() {}
}
