import CairnFiles
import CairnModel
import CairnRows
import CairnStore

/// Requests in a file of their own, so that they take no memory until they are needed.
///
/// Used by one thread at a time.
package final class RequestSpool {
    private let layouts: RowLayouts
    private let file: ScratchFile
    private var parts: [(offsets: Range<Int>, store: StoreNumber)] = []

    /// - Throws: `.fileFailure`.
    package init(_ layouts: RowLayouts) throws(StoreError) {
        self.layouts = layouts
        do throws(FileFailure) {
            file = try ScratchFile()
        } catch {
            throw .fileFailure(error)
        }
    }

    /// The number of requests.
    package var count: Int { parts.count }

    /// The stores of the requests.
    package var stores: Set<StoreNumber> { Set(parts.map(\.store)) }

    /// About how many bytes the requests from an index on have.
    package func byteCount(from index: Int) -> Int {
        file.byteCount - parts[index].offsets.lowerBound
    }

    /// Appends a request for a store.
    ///
    /// - Throws: `.fileFailure`.
    package func append(_ request: SaveRequest, of store: StoreNumber) throws(StoreError) {
        do throws(FileFailure) {
            parts.append((try file.append(RequestCodec.encode(request)), store))
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Returns the request at an index.
    ///
    /// - Throws: `.fileFailure`.
    package func request(at index: Int) throws(StoreError) -> SaveRequest {
        let (offsets, store) = parts[index]
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try file.read(offsets)
        } catch {
            throw .fileFailure(error)
        }
        guard let request = RequestCodec(layouts: layouts, store: store).decode(bytes) else {
            throw .fileFailure(file.damage)
        }
        return request
    }
}
