extension [UInt8] {
    /// `withUnsafeBytes` with typed errors, which the library's own does not pass on.
    @inline(__always) func withRawBytes<Success, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Success
    ) throws(Failure) -> Success {
        try withUnsafeBytes { bytes in
            Result { () throws(Failure) in try body(bytes) }
        }.get()
    }
}
