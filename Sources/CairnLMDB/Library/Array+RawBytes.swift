extension [UInt8] {
    /// A version of `withUnsafeBytes` with typed errors, which the standard library's does not
    /// support.
    @inline(__always) func withRawBytes<Success, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Success
    ) throws(Failure) -> Success {
        try withUnsafeBytes { bytes in
            Result { () throws(Failure) in try body(bytes) }
        }.get()
    }
}
