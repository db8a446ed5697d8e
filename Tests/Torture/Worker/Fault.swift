import Foundation
import TortureShim

/// What happens to which mutating call of a process.
struct Fault: Codable, Sendable, Hashable {
    /// A new kind is one case here, and one line in ``orders``.
    enum Kind: String, Codable, Sendable, CaseIterable {
        /// The process is killed in place of the call.
        case kill
        /// The first pages of a write are written, and the process is killed.
        case tear
        /// The power goes in place of the call: the file system loses what was not synchronised.
        case cut
        /// The process stops before the call, until the harness lets it go on.
        case stop
        case ioError = "EIO"
        case noSpace = "ENOSPC"
        /// As on a disk that is full: what needs no space, such as removing files, does not fail.
        case full
        /// Half of the bytes are written, and the call says so.
        case short
        /// `fsync` and its relatives fail with `EIO`.
        case syncError = "fsync-EIO"

        fileprivate var orders: (deed: torture_deed, error: Int32, kinds: UInt32) {
            let every = UInt32.max
            let sync = TORTURE_SYNC.rawValue
            let failing = every & ~(sync | TORTURE_REOPEN.rawValue)
            return switch self {
            case .kill: (TORTURE_KILL, 0, every)
            case .tear: (TORTURE_TEAR, 0, TORTURE_SPAN.rawValue)
            case .cut: (TORTURE_CUT, 0, every)
            case .stop: (TORTURE_STOP, 0, every)
            case .ioError: (TORTURE_FAIL, EIO, failing)
            case .noSpace: (TORTURE_FAIL, ENOSPC, failing)
            case .full: (TORTURE_FAIL, ENOSPC, failing & ~TORTURE_REMOVE.rawValue)
            case .short: (TORTURE_SHORTEN, 0, TORTURE_WRITE.rawValue)
            case .syncError: (TORTURE_FAIL, EIO, sync)
            }
        }

        /// Whether the process does not survive it.
        var kills: Bool { [.kill, .tear, .cut].contains(self) }

        /// Whether calls of these kinds, as the library's trace has them, can meet the fault.
        func concerns(_ call: TracedCall) -> Bool { orders.kinds & call.kind != 0 }
    }

    var kind: Kind
    /// The number of the call, from 1.
    var at: Int
    /// Whether the fault stays, or happens once.
    var isSticky = false

    /// Has the library count, and do this to, the calls on files of a folder from now on.
    ///
    /// A planted defect that shows in the calls of the system is a mistake that the library makes.
    static func arm(_ fault: Fault?, folder: String, trace: String? = nil) throws {
        let mistakes = PlantedDefect.current?.mistakes ?? 0
        let done = folder.withCString { folder in
            func obey(_ trace: UnsafePointer<CChar>?) -> Bool {
                var orders = torture_orders()
                (orders.folder, orders.trace, orders.mistakes) = (folder, trace, mistakes)
                if let fault {
                    let what = fault.kind.orders
                    orders.deed = Int32(what.deed.rawValue)
                    (orders.error, orders.kinds) = (what.error, what.kinds)
                    (orders.at, orders.is_sticky) = (fault.at, fault.isSticky)
                }
                return torture_obey(&orders)
            }
            return trace.map { $0.withCString { obey($0) } } ?? obey(nil)
        }
        if !done { throw HarnessFailure("the library for faults is not loaded") }
    }
}

/// `EIO*@37`: an error at the 37th call and at all after it.
extension Fault: CustomStringConvertible {
    var description: String { "\(kind.rawValue)\(isSticky ? "*" : "")@\(at)" }
}

/// A line of the library's trace.
struct TracedCall: Sendable {
    var kind: UInt32
    var name: String
    /// From the store's folder.
    var path: String

    /// Reads a trace.
    static func all(_ text: String) -> [TracedCall] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count >= 2, let kind = UInt32(words[0]) else { return nil }
            return TracedCall(
                kind: kind, name: String(words[1]), path: words.count > 2 ? String(words[2]) : "")
        }
    }
}
