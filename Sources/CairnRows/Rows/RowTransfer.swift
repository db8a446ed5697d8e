import CairnModel
import Foundation

/// A mapping from slots of one layout to slots of the same kinds in another layout, for copying
/// values between rows.
///
/// Slots that are adjacent in both layouts are copied together. Copying a row slot by slot takes
/// five times as long.
package final class RowTransfer: Sendable {
    /// A source slot and the target slot that its value is copied to. Both have the same kind.
    package typealias Pair = (source: RowLayout.Slot, target: RowLayout.Slot)

    /// Adjacent fixed slots, as offsets and a number of bytes.
    private struct FixedRun {
        var source: Int
        var target: Int
        var byteCount: Int
    }

    /// Adjacent null bits, within one word of each bitmap.
    private struct NullRun {
        let source: Int
        let target: Int
        var count: Int

        var mask: UInt64 { count == 64 ? .max : (1 << UInt64(count)) - 1 }
    }

    /// Adjacent variable slots.
    fileprivate struct VariableRun {
        let source: RowLayout.Slot
        let target: RowLayout.Slot
        var count: Int

        /// Returns the offset at which one of the run's slots ends in a row, counted from the first
        /// byte of all variable slots. For index -1, returns the offset at which the run begins.
        @inline(__always) func end(_ index: Int, in row: Row) -> Int {
            guard source.variableIndex > 0 || index >= 0 else { return 0 }
            let end = (row.bytes + Int(source.offset) + 4 * index).loadUnaligned(as: UInt32.self)
            return Int(UInt32(littleEndian: end))
        }
    }

    private let fixedRuns: [FixedRun]
    private let nullRuns: [NullRun]
    fileprivate let variableRuns: [VariableRun]

    /// - Precondition: the pairs are sorted by target slot.
    package init(_ pairs: [Pair]) {
        var (fixed, nulls, variable): ([FixedRun], [NullRun], [VariableRun]) = ([], [], [])
        for (source, target) in pairs {
            Self.addNull(source, target, to: &nulls)
            if source.kind.isVariable {
                Self.addVariable(source, target, to: &variable)
            } else {
                Self.addFixed(source, target, to: &fixed)
            }
        }
        (fixedRuns, nullRuns, variableRuns) = (fixed, nulls, variable)
    }

    private static func addFixed(
        _ source: RowLayout.Slot, _ target: RowLayout.Slot, to runs: inout [FixedRun]
    ) {
        let (from, to) = (Int(source.offset), Int(target.offset))
        if let last = runs.last, last.source + last.byteCount == from,
            last.target + last.byteCount == to
        {
            runs[runs.count - 1].byteCount += source.kind.byteCount
        } else {
            runs.append(FixedRun(source: from, target: to, byteCount: source.kind.byteCount))
        }
    }

    private static func addNull(
        _ source: RowLayout.Slot, _ target: RowLayout.Slot, to runs: inout [NullRun]
    ) {
        let (from, to) = (Int(source.index), Int(target.index))
        if let last = runs.last, last.source + last.count == from, last.target + last.count == to,
            from % 64 != 0, to % 64 != 0
        {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(NullRun(source: from, target: to, count: 1))
        }
    }

    private static func addVariable(
        _ source: RowLayout.Slot, _ target: RowLayout.Slot, to runs: inout [VariableRun]
    ) {
        let (from, to) = (Int(source.variableIndex), Int(target.variableIndex))
        if let last = runs.last, Int(last.source.variableIndex) + last.count == from,
            Int(last.target.variableIndex) + last.count == to
        {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(VariableRun(source: source, target: target, count: 1))
        }
    }

    /// Copies the fixed slots and the null bits to the beginning of a row in which all of them are
    /// `nil`.
    fileprivate func copyFixed(from row: Row, to base: UnsafeMutableRawPointer) {
        for run in fixedRuns { memcpy(base + run.target, row.bytes + run.source, run.byteCount) }
        for run in nullRuns {
            let source = row.bytes + RowLayout.headerByteCount + run.source / 64 * 8
            let target = base + RowLayout.headerByteCount + run.target / 64 * 8
            let bits = UInt64(littleEndian: source.loadUnaligned(as: UInt64.self))
            let others = UInt64(littleEndian: target.loadUnaligned(as: UInt64.self))
            let copied = (bits >> UInt64(run.source % 64) & run.mask) << UInt64(run.target % 64)
            let result = others & ~(run.mask << UInt64(run.target % 64)) | copied
            target.storeBytes(of: result.littleEndian, as: UInt64.self)
        }
    }
}

extension RowWriter {
    /// Sets slots to the values, including `nil`, of slots in a row of another layout.
    ///
    /// - Precondition: none of the slots has been set, nor any later variable slot of this row.
    /// - Throws: `.tooLarge`.
    package mutating func set(_ transfer: RowTransfer, from row: Row) throws(RowError) {
        transfer.copyFixed(from: row, to: base)
        for run in transfer.variableRuns {
            let first = Int(run.target.variableIndex)
            precondition(first >= nextVariable, "variable slots must be set in slot order")
            let start = run.end(-1, in: row)
            let byteCount = run.end(run.count - 1, in: row) - start
            guard length + byteCount < Int(Int32.max) else { throw tooLarge(run.target) }
            noteEnds(upTo: first)
            reserve(byteCount)
            memcpy(base + length, row.bytes + Int(run.source.payloadOffset) + start, byteCount)
            let shift = length - payloadOffset - start
            for index in 0..<run.count {
                store(
                    UInt32(truncatingIfNeeded: run.end(index, in: row) + shift),
                    at: endsOffset + 4 * (first + index))
            }
            length += byteCount
            nextVariable = first + run.count
        }
    }
}

/// The reason why a value could not be stored in a row.
public enum RowError: Error, Sendable, Hashable {
    /// The value does not have the type of the property.
    case wrongType(entity: String, property: String, expected: String)
    /// With the value, the row would be 2 GiB or larger.
    case tooLarge(entity: String, property: String)
}

extension RowError: CustomStringConvertible {
    /// Says which property is concerned, what is wrong and what to do. Never contains the value.
    public var description: String {
        switch self {
        case .wrongType(let entity, let property, let expected):
            "The value of \(entity).\(property) does not have the type \(expected). Convert it first."
        case .tooLarge(let entity, let property):
            "The value of \(entity).\(property) would make its row larger than 2 GiB."
                + " Store it in a file of its own."
        }
    }
}
