import CairnModel
import CairnStore
import Foundation

extension Flaw {
    static let ofValues: [Flaw] = [
        .value("loses blobs of 10 MB") { value in
            if case .binary(let data) = value, data.count > 5 << 20 { .null } else { value }
        },
        .value("truncates text at NUL") { value in
            guard case .string(let text) = value else { return value }
            let scalars = text.unicodeScalars.prefix { $0 != "\0" }
            return .string(String(String.UnicodeScalarView(scalars)))
        },
        .value("normalises Unicode") { value in
            guard case .string(let text) = value else { return value }
            return .string(text.precomposedStringWithCanonicalMapping)
        },
        .value("keeps empty text as nil") { $0 == "" ? .null : $0 },
        .value("keeps empty bytes as nil") { $0 == .binary(Data()) ? .null : $0 },
        .value("keeps decimals as doubles") { value in
            guard case .decimal(let decimal) = value else { return value }
            return .decimal(Decimal((decimal as NSDecimalNumber).doubleValue))
        },
        .value("keeps −0 as 0") { $0 == .double(-0.0) ? .double(0) : $0 },
        .value("keeps dates to the millisecond") { value in
            guard case .date(let date) = value else { return value }
            let seconds = date.timeIntervalSinceReferenceDate
            guard abs(seconds) < 1e12 else { return value }
            return .date(Date(timeIntervalSinceReferenceDate: (seconds * 1000).rounded() / 1000))
        },
        .value("keeps integers as doubles") { value in
            guard case .integer(let integer) = value, abs(integer >> 1) < 1 << 61 else {
                return value
            }
            return .integer(Int64(Double(integer)))
        },
        .value("trims text") { value in
            guard case .string(let text) = value else { return value }
            return .string(text.trimmingCharacters(in: .whitespacesAndNewlines))
        },
    ]

    /// A flaw in how a value is stored.
    private static func value(
        _ name: String, _ change: @escaping @Sendable (Value) -> Value
    ) -> Flaw {
        Flaw(name) { flaw in
            flaw.requested = { (request, packing) throws(StoreError) in
                request.inserted = packing.changed(request.inserted, change)
            }
        }
    }
}
