// @ts-nocheck
// Generated from the schemas by Ajv. Run `node scripts/compile-validators.ts` after you change one.
import ucs2length from 'ajv/dist/runtime/ucs2length.js';
const func2 = ucs2length.default;

export const validateSettings = validate10;
const schema11 = {"$id":"validateSettings","type":"object","required":["logLevel","taskFile","bucketDir","filesDir","serviceAccountDir","podUid","traceparent","apiServerHost","apiServerPort","egressAllowCidrs","egressDenyCidrs","egressClusterCidrs","egressServiceCidrs","egressApiServerAddresses","egressNat64Prefix","sourceProxyUrl","sourceNoProxy","sourceProxyUsername","sourceProxyPassword","storeProxyUrl","storeNoProxy","storeProxyUsername","storeProxyPassword","trustBundle","shutdownTimeoutMs","partSizeBytes","partsInFlight","maxArchiveBytes","sourceUnknownLengthZip64","storeAllowedHosts","storeAllowHttp","storeAllowCidrs","storeTokenAudiences","storeStsHosts","stsTimeoutMs","stsRetryMs","storeConnectTimeoutMs","storeIdleTimeoutMs","storeRetryLimitMs","storeRetryBaseMs","storeRetryMaxMs","storeStartGraceMs","storeConsistencyMs","recoveryLimitMs","statusActivationIntervalMs","statusProgressIntervalMs","statusRequestTimeoutMs","statusRefusalLimitMs","statusRetryBaseMs","statusRetryMaxMs","fileListMaxBytes","sourceConcurrency","sourceBufferBytes","sourceMaxFileBytes","sourceRetryLimitMs","sourceRetryBaseMs","sourceRetryMaxMs","sourceRetryAfterMaxMs","sourceRefuseUnverified","sourceDnsTimeoutMs","sourceConnectTimeoutMs","sourceHeadersTimeoutMs","sourceIdleTimeoutMs","sourceMinRateBytes","sourceMinRateWindowMs","sourcePerHostConnections","sourceParkedMaxMs","sourceSequential","sourceCheckLimitMs","sourceUserAgent"],"properties":{"logLevel":{"type":"string","enum":["trace","debug","info","warn","error","fatal","silent"]},"taskFile":{"type":"string"},"bucketDir":{"type":"string"},"filesDir":{"type":"string"},"serviceAccountDir":{"type":"string"},"podUid":{"type":"string","minLength":1},"traceparent":{"type":"string"},"apiServerHost":{"type":"string"},"apiServerPort":{"type":"integer","minimum":1,"maximum":65535},"egressAllowCidrs":{"type":"array","items":{"type":"string","minLength":1}},"egressDenyCidrs":{"type":"array","items":{"type":"string","minLength":1}},"egressClusterCidrs":{"type":"array","items":{"type":"string","minLength":1}},"egressServiceCidrs":{"type":"array","items":{"type":"string","minLength":1}},"egressApiServerAddresses":{"type":"array","items":{"type":"string","minLength":1}},"egressNat64Prefix":{"type":"string"},"sourceProxyUrl":{"type":"string","pattern":"^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$"},"sourceNoProxy":{"type":"array","items":{"type":"string","minLength":1}},"sourceProxyUsername":{"type":"string"},"sourceProxyPassword":{"type":"string"},"storeProxyUrl":{"type":"string","pattern":"^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$"},"storeNoProxy":{"type":"array","items":{"type":"string","minLength":1}},"storeProxyUsername":{"type":"string"},"storeProxyPassword":{"type":"string"},"trustBundle":{"type":"string"},"shutdownTimeoutMs":{"type":"integer","minimum":1,"maximum":2147483647},"partSizeBytes":{"type":"integer","minimum":5242880,"maximum":1073741824},"partsInFlight":{"type":"integer","minimum":1,"maximum":32},"maxArchiveBytes":{"type":"integer","minimum":1},"sourceUnknownLengthZip64":{"type":"boolean"},"storeAllowedHosts":{"type":"array","items":{"type":"string","minLength":1}},"storeAllowHttp":{"type":"boolean"},"storeAllowCidrs":{"type":"array","items":{"type":"string","minLength":1}},"storeTokenAudiences":{"type":"array","items":{"type":"string","minLength":1}},"storeStsHosts":{"type":"array","items":{"type":"string","minLength":1}},"stsTimeoutMs":{"type":"integer","minimum":1,"maximum":2147483647},"stsRetryMs":{"type":"integer","minimum":1,"maximum":2147483647},"storeConnectTimeoutMs":{"type":"integer","minimum":1,"maximum":2147483647},"storeIdleTimeoutMs":{"type":"integer","minimum":1,"maximum":2147483647},"storeRetryLimitMs":{"type":"integer","minimum":0,"maximum":2147483647},"storeRetryBaseMs":{"type":"integer","minimum":1,"maximum":2147483647},"storeRetryMaxMs":{"type":"integer","minimum":1,"maximum":2147483647},"storeStartGraceMs":{"type":"integer","minimum":0,"maximum":2147483647},"storeConsistencyMs":{"type":"integer","minimum":0,"maximum":30000},"recoveryLimitMs":{"type":"integer","minimum":1,"maximum":2147483647},"statusActivationIntervalMs":{"type":"integer","minimum":10,"maximum":2147483647},"statusProgressIntervalMs":{"type":"integer","minimum":100,"maximum":2147483647},"statusRequestTimeoutMs":{"type":"integer","minimum":1,"maximum":2147483647},"statusRefusalLimitMs":{"type":"integer","minimum":0,"maximum":2147483647},"statusRetryBaseMs":{"type":"integer","minimum":1,"maximum":2147483647},"statusRetryMaxMs":{"type":"integer","minimum":1,"maximum":2147483647},"fileListMaxBytes":{"type":"integer","minimum":1},"sourceConcurrency":{"type":"integer","minimum":1,"maximum":256},"sourceBufferBytes":{"type":"integer","minimum":4194304},"sourceMaxFileBytes":{"type":"integer","minimum":1},"sourceRetryLimitMs":{"type":"integer","minimum":0,"maximum":2147483647},"sourceRetryBaseMs":{"type":"integer","minimum":1,"maximum":2147483647},"sourceRetryMaxMs":{"type":"integer","minimum":1,"maximum":2147483647},"sourceRetryAfterMaxMs":{"type":"integer","minimum":0,"maximum":2147483647},"sourceRefuseUnverified":{"type":"boolean"},"sourceDnsTimeoutMs":{"type":"integer","minimum":1,"maximum":2147483647},"sourceConnectTimeoutMs":{"type":"integer","minimum":1,"maximum":2147483647},"sourceHeadersTimeoutMs":{"type":"integer","minimum":1,"maximum":2147483647},"sourceIdleTimeoutMs":{"type":"integer","minimum":1,"maximum":2147483647},"sourceMinRateBytes":{"type":"integer","minimum":0},"sourceMinRateWindowMs":{"type":"integer","minimum":1,"maximum":2147483647},"sourcePerHostConnections":{"type":"integer","minimum":1,"maximum":256},"sourceParkedMaxMs":{"type":"integer","minimum":1,"maximum":2147483647},"sourceSequential":{"type":"boolean"},"sourceCheckLimitMs":{"type":"integer","minimum":0,"maximum":60000},"sourceUserAgent":{"type":"string","minLength":1,"pattern":"^[\\x20-\\x7e]+$"}}};

const pattern0 = new RegExp("^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$", "u");
const pattern2 = new RegExp("^[\\x20-\\x7e]+$", "u");

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="validateSettings" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.logLevel === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "logLevel"},message:"must have required property '"+"logLevel"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.taskFile === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "taskFile"},message:"must have required property '"+"taskFile"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.bucketDir === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "bucketDir"},message:"must have required property '"+"bucketDir"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.filesDir === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "filesDir"},message:"must have required property '"+"filesDir"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.serviceAccountDir === undefined){
const err4 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "serviceAccountDir"},message:"must have required property '"+"serviceAccountDir"+"'"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(data.podUid === undefined){
const err5 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "podUid"},message:"must have required property '"+"podUid"+"'"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(data.traceparent === undefined){
const err6 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "traceparent"},message:"must have required property '"+"traceparent"+"'"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if(data.apiServerHost === undefined){
const err7 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiServerHost"},message:"must have required property '"+"apiServerHost"+"'"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(data.apiServerPort === undefined){
const err8 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiServerPort"},message:"must have required property '"+"apiServerPort"+"'"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(data.egressAllowCidrs === undefined){
const err9 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "egressAllowCidrs"},message:"must have required property '"+"egressAllowCidrs"+"'"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(data.egressDenyCidrs === undefined){
const err10 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "egressDenyCidrs"},message:"must have required property '"+"egressDenyCidrs"+"'"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
if(data.egressClusterCidrs === undefined){
const err11 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "egressClusterCidrs"},message:"must have required property '"+"egressClusterCidrs"+"'"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(data.egressServiceCidrs === undefined){
const err12 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "egressServiceCidrs"},message:"must have required property '"+"egressServiceCidrs"+"'"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if(data.egressApiServerAddresses === undefined){
const err13 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "egressApiServerAddresses"},message:"must have required property '"+"egressApiServerAddresses"+"'"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(data.egressNat64Prefix === undefined){
const err14 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "egressNat64Prefix"},message:"must have required property '"+"egressNat64Prefix"+"'"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if(data.sourceProxyUrl === undefined){
const err15 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceProxyUrl"},message:"must have required property '"+"sourceProxyUrl"+"'"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if(data.sourceNoProxy === undefined){
const err16 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceNoProxy"},message:"must have required property '"+"sourceNoProxy"+"'"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
if(data.sourceProxyUsername === undefined){
const err17 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceProxyUsername"},message:"must have required property '"+"sourceProxyUsername"+"'"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
if(data.sourceProxyPassword === undefined){
const err18 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceProxyPassword"},message:"must have required property '"+"sourceProxyPassword"+"'"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if(data.storeProxyUrl === undefined){
const err19 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeProxyUrl"},message:"must have required property '"+"storeProxyUrl"+"'"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if(data.storeNoProxy === undefined){
const err20 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeNoProxy"},message:"must have required property '"+"storeNoProxy"+"'"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
if(data.storeProxyUsername === undefined){
const err21 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeProxyUsername"},message:"must have required property '"+"storeProxyUsername"+"'"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
if(data.storeProxyPassword === undefined){
const err22 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeProxyPassword"},message:"must have required property '"+"storeProxyPassword"+"'"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
if(data.trustBundle === undefined){
const err23 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "trustBundle"},message:"must have required property '"+"trustBundle"+"'"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
if(data.shutdownTimeoutMs === undefined){
const err24 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "shutdownTimeoutMs"},message:"must have required property '"+"shutdownTimeoutMs"+"'"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
if(data.partSizeBytes === undefined){
const err25 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "partSizeBytes"},message:"must have required property '"+"partSizeBytes"+"'"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
if(data.partsInFlight === undefined){
const err26 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "partsInFlight"},message:"must have required property '"+"partsInFlight"+"'"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
if(data.maxArchiveBytes === undefined){
const err27 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "maxArchiveBytes"},message:"must have required property '"+"maxArchiveBytes"+"'"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
if(data.sourceUnknownLengthZip64 === undefined){
const err28 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceUnknownLengthZip64"},message:"must have required property '"+"sourceUnknownLengthZip64"+"'"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
if(data.storeAllowedHosts === undefined){
const err29 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeAllowedHosts"},message:"must have required property '"+"storeAllowedHosts"+"'"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
if(data.storeAllowHttp === undefined){
const err30 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeAllowHttp"},message:"must have required property '"+"storeAllowHttp"+"'"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
if(data.storeAllowCidrs === undefined){
const err31 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeAllowCidrs"},message:"must have required property '"+"storeAllowCidrs"+"'"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
if(data.storeTokenAudiences === undefined){
const err32 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeTokenAudiences"},message:"must have required property '"+"storeTokenAudiences"+"'"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
if(data.storeStsHosts === undefined){
const err33 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeStsHosts"},message:"must have required property '"+"storeStsHosts"+"'"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
if(data.stsTimeoutMs === undefined){
const err34 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "stsTimeoutMs"},message:"must have required property '"+"stsTimeoutMs"+"'"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
if(data.stsRetryMs === undefined){
const err35 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "stsRetryMs"},message:"must have required property '"+"stsRetryMs"+"'"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
if(data.storeConnectTimeoutMs === undefined){
const err36 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeConnectTimeoutMs"},message:"must have required property '"+"storeConnectTimeoutMs"+"'"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
if(data.storeIdleTimeoutMs === undefined){
const err37 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeIdleTimeoutMs"},message:"must have required property '"+"storeIdleTimeoutMs"+"'"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
if(data.storeRetryLimitMs === undefined){
const err38 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeRetryLimitMs"},message:"must have required property '"+"storeRetryLimitMs"+"'"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
if(data.storeRetryBaseMs === undefined){
const err39 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeRetryBaseMs"},message:"must have required property '"+"storeRetryBaseMs"+"'"};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
if(data.storeRetryMaxMs === undefined){
const err40 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeRetryMaxMs"},message:"must have required property '"+"storeRetryMaxMs"+"'"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
if(data.storeStartGraceMs === undefined){
const err41 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeStartGraceMs"},message:"must have required property '"+"storeStartGraceMs"+"'"};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
if(data.storeConsistencyMs === undefined){
const err42 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "storeConsistencyMs"},message:"must have required property '"+"storeConsistencyMs"+"'"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
if(data.recoveryLimitMs === undefined){
const err43 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "recoveryLimitMs"},message:"must have required property '"+"recoveryLimitMs"+"'"};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
if(data.statusActivationIntervalMs === undefined){
const err44 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "statusActivationIntervalMs"},message:"must have required property '"+"statusActivationIntervalMs"+"'"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
if(data.statusProgressIntervalMs === undefined){
const err45 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "statusProgressIntervalMs"},message:"must have required property '"+"statusProgressIntervalMs"+"'"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
if(data.statusRequestTimeoutMs === undefined){
const err46 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "statusRequestTimeoutMs"},message:"must have required property '"+"statusRequestTimeoutMs"+"'"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
if(data.statusRefusalLimitMs === undefined){
const err47 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "statusRefusalLimitMs"},message:"must have required property '"+"statusRefusalLimitMs"+"'"};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
if(data.statusRetryBaseMs === undefined){
const err48 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "statusRetryBaseMs"},message:"must have required property '"+"statusRetryBaseMs"+"'"};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
if(data.statusRetryMaxMs === undefined){
const err49 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "statusRetryMaxMs"},message:"must have required property '"+"statusRetryMaxMs"+"'"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
if(data.fileListMaxBytes === undefined){
const err50 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "fileListMaxBytes"},message:"must have required property '"+"fileListMaxBytes"+"'"};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
if(data.sourceConcurrency === undefined){
const err51 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceConcurrency"},message:"must have required property '"+"sourceConcurrency"+"'"};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
if(data.sourceBufferBytes === undefined){
const err52 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceBufferBytes"},message:"must have required property '"+"sourceBufferBytes"+"'"};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
if(data.sourceMaxFileBytes === undefined){
const err53 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceMaxFileBytes"},message:"must have required property '"+"sourceMaxFileBytes"+"'"};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
if(data.sourceRetryLimitMs === undefined){
const err54 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceRetryLimitMs"},message:"must have required property '"+"sourceRetryLimitMs"+"'"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
if(data.sourceRetryBaseMs === undefined){
const err55 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceRetryBaseMs"},message:"must have required property '"+"sourceRetryBaseMs"+"'"};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
if(data.sourceRetryMaxMs === undefined){
const err56 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceRetryMaxMs"},message:"must have required property '"+"sourceRetryMaxMs"+"'"};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
if(data.sourceRetryAfterMaxMs === undefined){
const err57 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceRetryAfterMaxMs"},message:"must have required property '"+"sourceRetryAfterMaxMs"+"'"};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
if(data.sourceRefuseUnverified === undefined){
const err58 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceRefuseUnverified"},message:"must have required property '"+"sourceRefuseUnverified"+"'"};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
if(data.sourceDnsTimeoutMs === undefined){
const err59 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceDnsTimeoutMs"},message:"must have required property '"+"sourceDnsTimeoutMs"+"'"};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
if(data.sourceConnectTimeoutMs === undefined){
const err60 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceConnectTimeoutMs"},message:"must have required property '"+"sourceConnectTimeoutMs"+"'"};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
if(data.sourceHeadersTimeoutMs === undefined){
const err61 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceHeadersTimeoutMs"},message:"must have required property '"+"sourceHeadersTimeoutMs"+"'"};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
if(data.sourceIdleTimeoutMs === undefined){
const err62 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceIdleTimeoutMs"},message:"must have required property '"+"sourceIdleTimeoutMs"+"'"};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
if(data.sourceMinRateBytes === undefined){
const err63 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceMinRateBytes"},message:"must have required property '"+"sourceMinRateBytes"+"'"};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
if(data.sourceMinRateWindowMs === undefined){
const err64 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceMinRateWindowMs"},message:"must have required property '"+"sourceMinRateWindowMs"+"'"};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
if(data.sourcePerHostConnections === undefined){
const err65 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourcePerHostConnections"},message:"must have required property '"+"sourcePerHostConnections"+"'"};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
if(data.sourceParkedMaxMs === undefined){
const err66 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceParkedMaxMs"},message:"must have required property '"+"sourceParkedMaxMs"+"'"};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
if(data.sourceSequential === undefined){
const err67 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceSequential"},message:"must have required property '"+"sourceSequential"+"'"};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
if(data.sourceCheckLimitMs === undefined){
const err68 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceCheckLimitMs"},message:"must have required property '"+"sourceCheckLimitMs"+"'"};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
if(data.sourceUserAgent === undefined){
const err69 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "sourceUserAgent"},message:"must have required property '"+"sourceUserAgent"+"'"};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
if(data.logLevel !== undefined){
let data0 = data.logLevel;
if(typeof data0 !== "string"){
const err70 = {instancePath:instancePath+"/logLevel",schemaPath:"#/properties/logLevel/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
if(!(((((((data0 === "trace") || (data0 === "debug")) || (data0 === "info")) || (data0 === "warn")) || (data0 === "error")) || (data0 === "fatal")) || (data0 === "silent"))){
const err71 = {instancePath:instancePath+"/logLevel",schemaPath:"#/properties/logLevel/enum",keyword:"enum",params:{allowedValues: schema11.properties.logLevel.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
}
if(data.taskFile !== undefined){
if(typeof data.taskFile !== "string"){
const err72 = {instancePath:instancePath+"/taskFile",schemaPath:"#/properties/taskFile/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
}
if(data.bucketDir !== undefined){
if(typeof data.bucketDir !== "string"){
const err73 = {instancePath:instancePath+"/bucketDir",schemaPath:"#/properties/bucketDir/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
}
if(data.filesDir !== undefined){
if(typeof data.filesDir !== "string"){
const err74 = {instancePath:instancePath+"/filesDir",schemaPath:"#/properties/filesDir/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
}
if(data.serviceAccountDir !== undefined){
if(typeof data.serviceAccountDir !== "string"){
const err75 = {instancePath:instancePath+"/serviceAccountDir",schemaPath:"#/properties/serviceAccountDir/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
}
if(data.podUid !== undefined){
let data5 = data.podUid;
if(typeof data5 === "string"){
if(func2(data5) < 1){
const err76 = {instancePath:instancePath+"/podUid",schemaPath:"#/properties/podUid/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
}
else {
const err77 = {instancePath:instancePath+"/podUid",schemaPath:"#/properties/podUid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
}
if(data.traceparent !== undefined){
if(typeof data.traceparent !== "string"){
const err78 = {instancePath:instancePath+"/traceparent",schemaPath:"#/properties/traceparent/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
}
if(data.apiServerHost !== undefined){
if(typeof data.apiServerHost !== "string"){
const err79 = {instancePath:instancePath+"/apiServerHost",schemaPath:"#/properties/apiServerHost/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
}
}
if(data.apiServerPort !== undefined){
let data8 = data.apiServerPort;
if(!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))){
const err80 = {instancePath:instancePath+"/apiServerPort",schemaPath:"#/properties/apiServerPort/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err80];
}
else {
vErrors.push(err80);
}
errors++;
}
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 > 65535 || isNaN(data8)){
const err81 = {instancePath:instancePath+"/apiServerPort",schemaPath:"#/properties/apiServerPort/maximum",keyword:"maximum",params:{comparison: "<=", limit: 65535},message:"must be <= 65535"};
if(vErrors === null){
vErrors = [err81];
}
else {
vErrors.push(err81);
}
errors++;
}
if(data8 < 1 || isNaN(data8)){
const err82 = {instancePath:instancePath+"/apiServerPort",schemaPath:"#/properties/apiServerPort/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err82];
}
else {
vErrors.push(err82);
}
errors++;
}
}
}
if(data.egressAllowCidrs !== undefined){
let data9 = data.egressAllowCidrs;
if(Array.isArray(data9)){
const len0 = data9.length;
for(let i0=0; i0<len0; i0++){
let data10 = data9[i0];
if(typeof data10 === "string"){
if(func2(data10) < 1){
const err83 = {instancePath:instancePath+"/egressAllowCidrs/" + i0,schemaPath:"#/properties/egressAllowCidrs/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err83];
}
else {
vErrors.push(err83);
}
errors++;
}
}
else {
const err84 = {instancePath:instancePath+"/egressAllowCidrs/" + i0,schemaPath:"#/properties/egressAllowCidrs/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err84];
}
else {
vErrors.push(err84);
}
errors++;
}
}
}
else {
const err85 = {instancePath:instancePath+"/egressAllowCidrs",schemaPath:"#/properties/egressAllowCidrs/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err85];
}
else {
vErrors.push(err85);
}
errors++;
}
}
if(data.egressDenyCidrs !== undefined){
let data11 = data.egressDenyCidrs;
if(Array.isArray(data11)){
const len1 = data11.length;
for(let i1=0; i1<len1; i1++){
let data12 = data11[i1];
if(typeof data12 === "string"){
if(func2(data12) < 1){
const err86 = {instancePath:instancePath+"/egressDenyCidrs/" + i1,schemaPath:"#/properties/egressDenyCidrs/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err86];
}
else {
vErrors.push(err86);
}
errors++;
}
}
else {
const err87 = {instancePath:instancePath+"/egressDenyCidrs/" + i1,schemaPath:"#/properties/egressDenyCidrs/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err87];
}
else {
vErrors.push(err87);
}
errors++;
}
}
}
else {
const err88 = {instancePath:instancePath+"/egressDenyCidrs",schemaPath:"#/properties/egressDenyCidrs/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err88];
}
else {
vErrors.push(err88);
}
errors++;
}
}
if(data.egressClusterCidrs !== undefined){
let data13 = data.egressClusterCidrs;
if(Array.isArray(data13)){
const len2 = data13.length;
for(let i2=0; i2<len2; i2++){
let data14 = data13[i2];
if(typeof data14 === "string"){
if(func2(data14) < 1){
const err89 = {instancePath:instancePath+"/egressClusterCidrs/" + i2,schemaPath:"#/properties/egressClusterCidrs/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err89];
}
else {
vErrors.push(err89);
}
errors++;
}
}
else {
const err90 = {instancePath:instancePath+"/egressClusterCidrs/" + i2,schemaPath:"#/properties/egressClusterCidrs/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err90];
}
else {
vErrors.push(err90);
}
errors++;
}
}
}
else {
const err91 = {instancePath:instancePath+"/egressClusterCidrs",schemaPath:"#/properties/egressClusterCidrs/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err91];
}
else {
vErrors.push(err91);
}
errors++;
}
}
if(data.egressServiceCidrs !== undefined){
let data15 = data.egressServiceCidrs;
if(Array.isArray(data15)){
const len3 = data15.length;
for(let i3=0; i3<len3; i3++){
let data16 = data15[i3];
if(typeof data16 === "string"){
if(func2(data16) < 1){
const err92 = {instancePath:instancePath+"/egressServiceCidrs/" + i3,schemaPath:"#/properties/egressServiceCidrs/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err92];
}
else {
vErrors.push(err92);
}
errors++;
}
}
else {
const err93 = {instancePath:instancePath+"/egressServiceCidrs/" + i3,schemaPath:"#/properties/egressServiceCidrs/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err93];
}
else {
vErrors.push(err93);
}
errors++;
}
}
}
else {
const err94 = {instancePath:instancePath+"/egressServiceCidrs",schemaPath:"#/properties/egressServiceCidrs/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err94];
}
else {
vErrors.push(err94);
}
errors++;
}
}
if(data.egressApiServerAddresses !== undefined){
let data17 = data.egressApiServerAddresses;
if(Array.isArray(data17)){
const len4 = data17.length;
for(let i4=0; i4<len4; i4++){
let data18 = data17[i4];
if(typeof data18 === "string"){
if(func2(data18) < 1){
const err95 = {instancePath:instancePath+"/egressApiServerAddresses/" + i4,schemaPath:"#/properties/egressApiServerAddresses/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err95];
}
else {
vErrors.push(err95);
}
errors++;
}
}
else {
const err96 = {instancePath:instancePath+"/egressApiServerAddresses/" + i4,schemaPath:"#/properties/egressApiServerAddresses/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err96];
}
else {
vErrors.push(err96);
}
errors++;
}
}
}
else {
const err97 = {instancePath:instancePath+"/egressApiServerAddresses",schemaPath:"#/properties/egressApiServerAddresses/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err97];
}
else {
vErrors.push(err97);
}
errors++;
}
}
if(data.egressNat64Prefix !== undefined){
if(typeof data.egressNat64Prefix !== "string"){
const err98 = {instancePath:instancePath+"/egressNat64Prefix",schemaPath:"#/properties/egressNat64Prefix/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err98];
}
else {
vErrors.push(err98);
}
errors++;
}
}
if(data.sourceProxyUrl !== undefined){
let data20 = data.sourceProxyUrl;
if(typeof data20 === "string"){
if(!pattern0.test(data20)){
const err99 = {instancePath:instancePath+"/sourceProxyUrl",schemaPath:"#/properties/sourceProxyUrl/pattern",keyword:"pattern",params:{pattern: "^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$"},message:"must match pattern \""+"^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$"+"\""};
if(vErrors === null){
vErrors = [err99];
}
else {
vErrors.push(err99);
}
errors++;
}
}
else {
const err100 = {instancePath:instancePath+"/sourceProxyUrl",schemaPath:"#/properties/sourceProxyUrl/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err100];
}
else {
vErrors.push(err100);
}
errors++;
}
}
if(data.sourceNoProxy !== undefined){
let data21 = data.sourceNoProxy;
if(Array.isArray(data21)){
const len5 = data21.length;
for(let i5=0; i5<len5; i5++){
let data22 = data21[i5];
if(typeof data22 === "string"){
if(func2(data22) < 1){
const err101 = {instancePath:instancePath+"/sourceNoProxy/" + i5,schemaPath:"#/properties/sourceNoProxy/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err101];
}
else {
vErrors.push(err101);
}
errors++;
}
}
else {
const err102 = {instancePath:instancePath+"/sourceNoProxy/" + i5,schemaPath:"#/properties/sourceNoProxy/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err102];
}
else {
vErrors.push(err102);
}
errors++;
}
}
}
else {
const err103 = {instancePath:instancePath+"/sourceNoProxy",schemaPath:"#/properties/sourceNoProxy/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err103];
}
else {
vErrors.push(err103);
}
errors++;
}
}
if(data.sourceProxyUsername !== undefined){
if(typeof data.sourceProxyUsername !== "string"){
const err104 = {instancePath:instancePath+"/sourceProxyUsername",schemaPath:"#/properties/sourceProxyUsername/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err104];
}
else {
vErrors.push(err104);
}
errors++;
}
}
if(data.sourceProxyPassword !== undefined){
if(typeof data.sourceProxyPassword !== "string"){
const err105 = {instancePath:instancePath+"/sourceProxyPassword",schemaPath:"#/properties/sourceProxyPassword/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err105];
}
else {
vErrors.push(err105);
}
errors++;
}
}
if(data.storeProxyUrl !== undefined){
let data25 = data.storeProxyUrl;
if(typeof data25 === "string"){
if(!pattern0.test(data25)){
const err106 = {instancePath:instancePath+"/storeProxyUrl",schemaPath:"#/properties/storeProxyUrl/pattern",keyword:"pattern",params:{pattern: "^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$"},message:"must match pattern \""+"^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$"+"\""};
if(vErrors === null){
vErrors = [err106];
}
else {
vErrors.push(err106);
}
errors++;
}
}
else {
const err107 = {instancePath:instancePath+"/storeProxyUrl",schemaPath:"#/properties/storeProxyUrl/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err107];
}
else {
vErrors.push(err107);
}
errors++;
}
}
if(data.storeNoProxy !== undefined){
let data26 = data.storeNoProxy;
if(Array.isArray(data26)){
const len6 = data26.length;
for(let i6=0; i6<len6; i6++){
let data27 = data26[i6];
if(typeof data27 === "string"){
if(func2(data27) < 1){
const err108 = {instancePath:instancePath+"/storeNoProxy/" + i6,schemaPath:"#/properties/storeNoProxy/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err108];
}
else {
vErrors.push(err108);
}
errors++;
}
}
else {
const err109 = {instancePath:instancePath+"/storeNoProxy/" + i6,schemaPath:"#/properties/storeNoProxy/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err109];
}
else {
vErrors.push(err109);
}
errors++;
}
}
}
else {
const err110 = {instancePath:instancePath+"/storeNoProxy",schemaPath:"#/properties/storeNoProxy/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err110];
}
else {
vErrors.push(err110);
}
errors++;
}
}
if(data.storeProxyUsername !== undefined){
if(typeof data.storeProxyUsername !== "string"){
const err111 = {instancePath:instancePath+"/storeProxyUsername",schemaPath:"#/properties/storeProxyUsername/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err111];
}
else {
vErrors.push(err111);
}
errors++;
}
}
if(data.storeProxyPassword !== undefined){
if(typeof data.storeProxyPassword !== "string"){
const err112 = {instancePath:instancePath+"/storeProxyPassword",schemaPath:"#/properties/storeProxyPassword/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err112];
}
else {
vErrors.push(err112);
}
errors++;
}
}
if(data.trustBundle !== undefined){
if(typeof data.trustBundle !== "string"){
const err113 = {instancePath:instancePath+"/trustBundle",schemaPath:"#/properties/trustBundle/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err113];
}
else {
vErrors.push(err113);
}
errors++;
}
}
if(data.shutdownTimeoutMs !== undefined){
let data31 = data.shutdownTimeoutMs;
if(!(((typeof data31 == "number") && (!(data31 % 1) && !isNaN(data31))) && (isFinite(data31)))){
const err114 = {instancePath:instancePath+"/shutdownTimeoutMs",schemaPath:"#/properties/shutdownTimeoutMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err114];
}
else {
vErrors.push(err114);
}
errors++;
}
if((typeof data31 == "number") && (isFinite(data31))){
if(data31 > 2147483647 || isNaN(data31)){
const err115 = {instancePath:instancePath+"/shutdownTimeoutMs",schemaPath:"#/properties/shutdownTimeoutMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err115];
}
else {
vErrors.push(err115);
}
errors++;
}
if(data31 < 1 || isNaN(data31)){
const err116 = {instancePath:instancePath+"/shutdownTimeoutMs",schemaPath:"#/properties/shutdownTimeoutMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err116];
}
else {
vErrors.push(err116);
}
errors++;
}
}
}
if(data.partSizeBytes !== undefined){
let data32 = data.partSizeBytes;
if(!(((typeof data32 == "number") && (!(data32 % 1) && !isNaN(data32))) && (isFinite(data32)))){
const err117 = {instancePath:instancePath+"/partSizeBytes",schemaPath:"#/properties/partSizeBytes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err117];
}
else {
vErrors.push(err117);
}
errors++;
}
if((typeof data32 == "number") && (isFinite(data32))){
if(data32 > 1073741824 || isNaN(data32)){
const err118 = {instancePath:instancePath+"/partSizeBytes",schemaPath:"#/properties/partSizeBytes/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1073741824},message:"must be <= 1073741824"};
if(vErrors === null){
vErrors = [err118];
}
else {
vErrors.push(err118);
}
errors++;
}
if(data32 < 5242880 || isNaN(data32)){
const err119 = {instancePath:instancePath+"/partSizeBytes",schemaPath:"#/properties/partSizeBytes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 5242880},message:"must be >= 5242880"};
if(vErrors === null){
vErrors = [err119];
}
else {
vErrors.push(err119);
}
errors++;
}
}
}
if(data.partsInFlight !== undefined){
let data33 = data.partsInFlight;
if(!(((typeof data33 == "number") && (!(data33 % 1) && !isNaN(data33))) && (isFinite(data33)))){
const err120 = {instancePath:instancePath+"/partsInFlight",schemaPath:"#/properties/partsInFlight/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err120];
}
else {
vErrors.push(err120);
}
errors++;
}
if((typeof data33 == "number") && (isFinite(data33))){
if(data33 > 32 || isNaN(data33)){
const err121 = {instancePath:instancePath+"/partsInFlight",schemaPath:"#/properties/partsInFlight/maximum",keyword:"maximum",params:{comparison: "<=", limit: 32},message:"must be <= 32"};
if(vErrors === null){
vErrors = [err121];
}
else {
vErrors.push(err121);
}
errors++;
}
if(data33 < 1 || isNaN(data33)){
const err122 = {instancePath:instancePath+"/partsInFlight",schemaPath:"#/properties/partsInFlight/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err122];
}
else {
vErrors.push(err122);
}
errors++;
}
}
}
if(data.maxArchiveBytes !== undefined){
let data34 = data.maxArchiveBytes;
if(!(((typeof data34 == "number") && (!(data34 % 1) && !isNaN(data34))) && (isFinite(data34)))){
const err123 = {instancePath:instancePath+"/maxArchiveBytes",schemaPath:"#/properties/maxArchiveBytes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err123];
}
else {
vErrors.push(err123);
}
errors++;
}
if((typeof data34 == "number") && (isFinite(data34))){
if(data34 < 1 || isNaN(data34)){
const err124 = {instancePath:instancePath+"/maxArchiveBytes",schemaPath:"#/properties/maxArchiveBytes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err124];
}
else {
vErrors.push(err124);
}
errors++;
}
}
}
if(data.sourceUnknownLengthZip64 !== undefined){
if(typeof data.sourceUnknownLengthZip64 !== "boolean"){
const err125 = {instancePath:instancePath+"/sourceUnknownLengthZip64",schemaPath:"#/properties/sourceUnknownLengthZip64/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err125];
}
else {
vErrors.push(err125);
}
errors++;
}
}
if(data.storeAllowedHosts !== undefined){
let data36 = data.storeAllowedHosts;
if(Array.isArray(data36)){
const len7 = data36.length;
for(let i7=0; i7<len7; i7++){
let data37 = data36[i7];
if(typeof data37 === "string"){
if(func2(data37) < 1){
const err126 = {instancePath:instancePath+"/storeAllowedHosts/" + i7,schemaPath:"#/properties/storeAllowedHosts/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err126];
}
else {
vErrors.push(err126);
}
errors++;
}
}
else {
const err127 = {instancePath:instancePath+"/storeAllowedHosts/" + i7,schemaPath:"#/properties/storeAllowedHosts/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err127];
}
else {
vErrors.push(err127);
}
errors++;
}
}
}
else {
const err128 = {instancePath:instancePath+"/storeAllowedHosts",schemaPath:"#/properties/storeAllowedHosts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err128];
}
else {
vErrors.push(err128);
}
errors++;
}
}
if(data.storeAllowHttp !== undefined){
if(typeof data.storeAllowHttp !== "boolean"){
const err129 = {instancePath:instancePath+"/storeAllowHttp",schemaPath:"#/properties/storeAllowHttp/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err129];
}
else {
vErrors.push(err129);
}
errors++;
}
}
if(data.storeAllowCidrs !== undefined){
let data39 = data.storeAllowCidrs;
if(Array.isArray(data39)){
const len8 = data39.length;
for(let i8=0; i8<len8; i8++){
let data40 = data39[i8];
if(typeof data40 === "string"){
if(func2(data40) < 1){
const err130 = {instancePath:instancePath+"/storeAllowCidrs/" + i8,schemaPath:"#/properties/storeAllowCidrs/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err130];
}
else {
vErrors.push(err130);
}
errors++;
}
}
else {
const err131 = {instancePath:instancePath+"/storeAllowCidrs/" + i8,schemaPath:"#/properties/storeAllowCidrs/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err131];
}
else {
vErrors.push(err131);
}
errors++;
}
}
}
else {
const err132 = {instancePath:instancePath+"/storeAllowCidrs",schemaPath:"#/properties/storeAllowCidrs/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err132];
}
else {
vErrors.push(err132);
}
errors++;
}
}
if(data.storeTokenAudiences !== undefined){
let data41 = data.storeTokenAudiences;
if(Array.isArray(data41)){
const len9 = data41.length;
for(let i9=0; i9<len9; i9++){
let data42 = data41[i9];
if(typeof data42 === "string"){
if(func2(data42) < 1){
const err133 = {instancePath:instancePath+"/storeTokenAudiences/" + i9,schemaPath:"#/properties/storeTokenAudiences/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err133];
}
else {
vErrors.push(err133);
}
errors++;
}
}
else {
const err134 = {instancePath:instancePath+"/storeTokenAudiences/" + i9,schemaPath:"#/properties/storeTokenAudiences/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err134];
}
else {
vErrors.push(err134);
}
errors++;
}
}
}
else {
const err135 = {instancePath:instancePath+"/storeTokenAudiences",schemaPath:"#/properties/storeTokenAudiences/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err135];
}
else {
vErrors.push(err135);
}
errors++;
}
}
if(data.storeStsHosts !== undefined){
let data43 = data.storeStsHosts;
if(Array.isArray(data43)){
const len10 = data43.length;
for(let i10=0; i10<len10; i10++){
let data44 = data43[i10];
if(typeof data44 === "string"){
if(func2(data44) < 1){
const err136 = {instancePath:instancePath+"/storeStsHosts/" + i10,schemaPath:"#/properties/storeStsHosts/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err136];
}
else {
vErrors.push(err136);
}
errors++;
}
}
else {
const err137 = {instancePath:instancePath+"/storeStsHosts/" + i10,schemaPath:"#/properties/storeStsHosts/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err137];
}
else {
vErrors.push(err137);
}
errors++;
}
}
}
else {
const err138 = {instancePath:instancePath+"/storeStsHosts",schemaPath:"#/properties/storeStsHosts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err138];
}
else {
vErrors.push(err138);
}
errors++;
}
}
if(data.stsTimeoutMs !== undefined){
let data45 = data.stsTimeoutMs;
if(!(((typeof data45 == "number") && (!(data45 % 1) && !isNaN(data45))) && (isFinite(data45)))){
const err139 = {instancePath:instancePath+"/stsTimeoutMs",schemaPath:"#/properties/stsTimeoutMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err139];
}
else {
vErrors.push(err139);
}
errors++;
}
if((typeof data45 == "number") && (isFinite(data45))){
if(data45 > 2147483647 || isNaN(data45)){
const err140 = {instancePath:instancePath+"/stsTimeoutMs",schemaPath:"#/properties/stsTimeoutMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err140];
}
else {
vErrors.push(err140);
}
errors++;
}
if(data45 < 1 || isNaN(data45)){
const err141 = {instancePath:instancePath+"/stsTimeoutMs",schemaPath:"#/properties/stsTimeoutMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err141];
}
else {
vErrors.push(err141);
}
errors++;
}
}
}
if(data.stsRetryMs !== undefined){
let data46 = data.stsRetryMs;
if(!(((typeof data46 == "number") && (!(data46 % 1) && !isNaN(data46))) && (isFinite(data46)))){
const err142 = {instancePath:instancePath+"/stsRetryMs",schemaPath:"#/properties/stsRetryMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err142];
}
else {
vErrors.push(err142);
}
errors++;
}
if((typeof data46 == "number") && (isFinite(data46))){
if(data46 > 2147483647 || isNaN(data46)){
const err143 = {instancePath:instancePath+"/stsRetryMs",schemaPath:"#/properties/stsRetryMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err143];
}
else {
vErrors.push(err143);
}
errors++;
}
if(data46 < 1 || isNaN(data46)){
const err144 = {instancePath:instancePath+"/stsRetryMs",schemaPath:"#/properties/stsRetryMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err144];
}
else {
vErrors.push(err144);
}
errors++;
}
}
}
if(data.storeConnectTimeoutMs !== undefined){
let data47 = data.storeConnectTimeoutMs;
if(!(((typeof data47 == "number") && (!(data47 % 1) && !isNaN(data47))) && (isFinite(data47)))){
const err145 = {instancePath:instancePath+"/storeConnectTimeoutMs",schemaPath:"#/properties/storeConnectTimeoutMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err145];
}
else {
vErrors.push(err145);
}
errors++;
}
if((typeof data47 == "number") && (isFinite(data47))){
if(data47 > 2147483647 || isNaN(data47)){
const err146 = {instancePath:instancePath+"/storeConnectTimeoutMs",schemaPath:"#/properties/storeConnectTimeoutMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err146];
}
else {
vErrors.push(err146);
}
errors++;
}
if(data47 < 1 || isNaN(data47)){
const err147 = {instancePath:instancePath+"/storeConnectTimeoutMs",schemaPath:"#/properties/storeConnectTimeoutMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err147];
}
else {
vErrors.push(err147);
}
errors++;
}
}
}
if(data.storeIdleTimeoutMs !== undefined){
let data48 = data.storeIdleTimeoutMs;
if(!(((typeof data48 == "number") && (!(data48 % 1) && !isNaN(data48))) && (isFinite(data48)))){
const err148 = {instancePath:instancePath+"/storeIdleTimeoutMs",schemaPath:"#/properties/storeIdleTimeoutMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err148];
}
else {
vErrors.push(err148);
}
errors++;
}
if((typeof data48 == "number") && (isFinite(data48))){
if(data48 > 2147483647 || isNaN(data48)){
const err149 = {instancePath:instancePath+"/storeIdleTimeoutMs",schemaPath:"#/properties/storeIdleTimeoutMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err149];
}
else {
vErrors.push(err149);
}
errors++;
}
if(data48 < 1 || isNaN(data48)){
const err150 = {instancePath:instancePath+"/storeIdleTimeoutMs",schemaPath:"#/properties/storeIdleTimeoutMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err150];
}
else {
vErrors.push(err150);
}
errors++;
}
}
}
if(data.storeRetryLimitMs !== undefined){
let data49 = data.storeRetryLimitMs;
if(!(((typeof data49 == "number") && (!(data49 % 1) && !isNaN(data49))) && (isFinite(data49)))){
const err151 = {instancePath:instancePath+"/storeRetryLimitMs",schemaPath:"#/properties/storeRetryLimitMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err151];
}
else {
vErrors.push(err151);
}
errors++;
}
if((typeof data49 == "number") && (isFinite(data49))){
if(data49 > 2147483647 || isNaN(data49)){
const err152 = {instancePath:instancePath+"/storeRetryLimitMs",schemaPath:"#/properties/storeRetryLimitMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err152];
}
else {
vErrors.push(err152);
}
errors++;
}
if(data49 < 0 || isNaN(data49)){
const err153 = {instancePath:instancePath+"/storeRetryLimitMs",schemaPath:"#/properties/storeRetryLimitMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err153];
}
else {
vErrors.push(err153);
}
errors++;
}
}
}
if(data.storeRetryBaseMs !== undefined){
let data50 = data.storeRetryBaseMs;
if(!(((typeof data50 == "number") && (!(data50 % 1) && !isNaN(data50))) && (isFinite(data50)))){
const err154 = {instancePath:instancePath+"/storeRetryBaseMs",schemaPath:"#/properties/storeRetryBaseMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err154];
}
else {
vErrors.push(err154);
}
errors++;
}
if((typeof data50 == "number") && (isFinite(data50))){
if(data50 > 2147483647 || isNaN(data50)){
const err155 = {instancePath:instancePath+"/storeRetryBaseMs",schemaPath:"#/properties/storeRetryBaseMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err155];
}
else {
vErrors.push(err155);
}
errors++;
}
if(data50 < 1 || isNaN(data50)){
const err156 = {instancePath:instancePath+"/storeRetryBaseMs",schemaPath:"#/properties/storeRetryBaseMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err156];
}
else {
vErrors.push(err156);
}
errors++;
}
}
}
if(data.storeRetryMaxMs !== undefined){
let data51 = data.storeRetryMaxMs;
if(!(((typeof data51 == "number") && (!(data51 % 1) && !isNaN(data51))) && (isFinite(data51)))){
const err157 = {instancePath:instancePath+"/storeRetryMaxMs",schemaPath:"#/properties/storeRetryMaxMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err157];
}
else {
vErrors.push(err157);
}
errors++;
}
if((typeof data51 == "number") && (isFinite(data51))){
if(data51 > 2147483647 || isNaN(data51)){
const err158 = {instancePath:instancePath+"/storeRetryMaxMs",schemaPath:"#/properties/storeRetryMaxMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err158];
}
else {
vErrors.push(err158);
}
errors++;
}
if(data51 < 1 || isNaN(data51)){
const err159 = {instancePath:instancePath+"/storeRetryMaxMs",schemaPath:"#/properties/storeRetryMaxMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err159];
}
else {
vErrors.push(err159);
}
errors++;
}
}
}
if(data.storeStartGraceMs !== undefined){
let data52 = data.storeStartGraceMs;
if(!(((typeof data52 == "number") && (!(data52 % 1) && !isNaN(data52))) && (isFinite(data52)))){
const err160 = {instancePath:instancePath+"/storeStartGraceMs",schemaPath:"#/properties/storeStartGraceMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err160];
}
else {
vErrors.push(err160);
}
errors++;
}
if((typeof data52 == "number") && (isFinite(data52))){
if(data52 > 2147483647 || isNaN(data52)){
const err161 = {instancePath:instancePath+"/storeStartGraceMs",schemaPath:"#/properties/storeStartGraceMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err161];
}
else {
vErrors.push(err161);
}
errors++;
}
if(data52 < 0 || isNaN(data52)){
const err162 = {instancePath:instancePath+"/storeStartGraceMs",schemaPath:"#/properties/storeStartGraceMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err162];
}
else {
vErrors.push(err162);
}
errors++;
}
}
}
if(data.storeConsistencyMs !== undefined){
let data53 = data.storeConsistencyMs;
if(!(((typeof data53 == "number") && (!(data53 % 1) && !isNaN(data53))) && (isFinite(data53)))){
const err163 = {instancePath:instancePath+"/storeConsistencyMs",schemaPath:"#/properties/storeConsistencyMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err163];
}
else {
vErrors.push(err163);
}
errors++;
}
if((typeof data53 == "number") && (isFinite(data53))){
if(data53 > 30000 || isNaN(data53)){
const err164 = {instancePath:instancePath+"/storeConsistencyMs",schemaPath:"#/properties/storeConsistencyMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 30000},message:"must be <= 30000"};
if(vErrors === null){
vErrors = [err164];
}
else {
vErrors.push(err164);
}
errors++;
}
if(data53 < 0 || isNaN(data53)){
const err165 = {instancePath:instancePath+"/storeConsistencyMs",schemaPath:"#/properties/storeConsistencyMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err165];
}
else {
vErrors.push(err165);
}
errors++;
}
}
}
if(data.recoveryLimitMs !== undefined){
let data54 = data.recoveryLimitMs;
if(!(((typeof data54 == "number") && (!(data54 % 1) && !isNaN(data54))) && (isFinite(data54)))){
const err166 = {instancePath:instancePath+"/recoveryLimitMs",schemaPath:"#/properties/recoveryLimitMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err166];
}
else {
vErrors.push(err166);
}
errors++;
}
if((typeof data54 == "number") && (isFinite(data54))){
if(data54 > 2147483647 || isNaN(data54)){
const err167 = {instancePath:instancePath+"/recoveryLimitMs",schemaPath:"#/properties/recoveryLimitMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err167];
}
else {
vErrors.push(err167);
}
errors++;
}
if(data54 < 1 || isNaN(data54)){
const err168 = {instancePath:instancePath+"/recoveryLimitMs",schemaPath:"#/properties/recoveryLimitMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err168];
}
else {
vErrors.push(err168);
}
errors++;
}
}
}
if(data.statusActivationIntervalMs !== undefined){
let data55 = data.statusActivationIntervalMs;
if(!(((typeof data55 == "number") && (!(data55 % 1) && !isNaN(data55))) && (isFinite(data55)))){
const err169 = {instancePath:instancePath+"/statusActivationIntervalMs",schemaPath:"#/properties/statusActivationIntervalMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err169];
}
else {
vErrors.push(err169);
}
errors++;
}
if((typeof data55 == "number") && (isFinite(data55))){
if(data55 > 2147483647 || isNaN(data55)){
const err170 = {instancePath:instancePath+"/statusActivationIntervalMs",schemaPath:"#/properties/statusActivationIntervalMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err170];
}
else {
vErrors.push(err170);
}
errors++;
}
if(data55 < 10 || isNaN(data55)){
const err171 = {instancePath:instancePath+"/statusActivationIntervalMs",schemaPath:"#/properties/statusActivationIntervalMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 10},message:"must be >= 10"};
if(vErrors === null){
vErrors = [err171];
}
else {
vErrors.push(err171);
}
errors++;
}
}
}
if(data.statusProgressIntervalMs !== undefined){
let data56 = data.statusProgressIntervalMs;
if(!(((typeof data56 == "number") && (!(data56 % 1) && !isNaN(data56))) && (isFinite(data56)))){
const err172 = {instancePath:instancePath+"/statusProgressIntervalMs",schemaPath:"#/properties/statusProgressIntervalMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err172];
}
else {
vErrors.push(err172);
}
errors++;
}
if((typeof data56 == "number") && (isFinite(data56))){
if(data56 > 2147483647 || isNaN(data56)){
const err173 = {instancePath:instancePath+"/statusProgressIntervalMs",schemaPath:"#/properties/statusProgressIntervalMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err173];
}
else {
vErrors.push(err173);
}
errors++;
}
if(data56 < 100 || isNaN(data56)){
const err174 = {instancePath:instancePath+"/statusProgressIntervalMs",schemaPath:"#/properties/statusProgressIntervalMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 100},message:"must be >= 100"};
if(vErrors === null){
vErrors = [err174];
}
else {
vErrors.push(err174);
}
errors++;
}
}
}
if(data.statusRequestTimeoutMs !== undefined){
let data57 = data.statusRequestTimeoutMs;
if(!(((typeof data57 == "number") && (!(data57 % 1) && !isNaN(data57))) && (isFinite(data57)))){
const err175 = {instancePath:instancePath+"/statusRequestTimeoutMs",schemaPath:"#/properties/statusRequestTimeoutMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err175];
}
else {
vErrors.push(err175);
}
errors++;
}
if((typeof data57 == "number") && (isFinite(data57))){
if(data57 > 2147483647 || isNaN(data57)){
const err176 = {instancePath:instancePath+"/statusRequestTimeoutMs",schemaPath:"#/properties/statusRequestTimeoutMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err176];
}
else {
vErrors.push(err176);
}
errors++;
}
if(data57 < 1 || isNaN(data57)){
const err177 = {instancePath:instancePath+"/statusRequestTimeoutMs",schemaPath:"#/properties/statusRequestTimeoutMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err177];
}
else {
vErrors.push(err177);
}
errors++;
}
}
}
if(data.statusRefusalLimitMs !== undefined){
let data58 = data.statusRefusalLimitMs;
if(!(((typeof data58 == "number") && (!(data58 % 1) && !isNaN(data58))) && (isFinite(data58)))){
const err178 = {instancePath:instancePath+"/statusRefusalLimitMs",schemaPath:"#/properties/statusRefusalLimitMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err178];
}
else {
vErrors.push(err178);
}
errors++;
}
if((typeof data58 == "number") && (isFinite(data58))){
if(data58 > 2147483647 || isNaN(data58)){
const err179 = {instancePath:instancePath+"/statusRefusalLimitMs",schemaPath:"#/properties/statusRefusalLimitMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err179];
}
else {
vErrors.push(err179);
}
errors++;
}
if(data58 < 0 || isNaN(data58)){
const err180 = {instancePath:instancePath+"/statusRefusalLimitMs",schemaPath:"#/properties/statusRefusalLimitMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err180];
}
else {
vErrors.push(err180);
}
errors++;
}
}
}
if(data.statusRetryBaseMs !== undefined){
let data59 = data.statusRetryBaseMs;
if(!(((typeof data59 == "number") && (!(data59 % 1) && !isNaN(data59))) && (isFinite(data59)))){
const err181 = {instancePath:instancePath+"/statusRetryBaseMs",schemaPath:"#/properties/statusRetryBaseMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err181];
}
else {
vErrors.push(err181);
}
errors++;
}
if((typeof data59 == "number") && (isFinite(data59))){
if(data59 > 2147483647 || isNaN(data59)){
const err182 = {instancePath:instancePath+"/statusRetryBaseMs",schemaPath:"#/properties/statusRetryBaseMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err182];
}
else {
vErrors.push(err182);
}
errors++;
}
if(data59 < 1 || isNaN(data59)){
const err183 = {instancePath:instancePath+"/statusRetryBaseMs",schemaPath:"#/properties/statusRetryBaseMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err183];
}
else {
vErrors.push(err183);
}
errors++;
}
}
}
if(data.statusRetryMaxMs !== undefined){
let data60 = data.statusRetryMaxMs;
if(!(((typeof data60 == "number") && (!(data60 % 1) && !isNaN(data60))) && (isFinite(data60)))){
const err184 = {instancePath:instancePath+"/statusRetryMaxMs",schemaPath:"#/properties/statusRetryMaxMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err184];
}
else {
vErrors.push(err184);
}
errors++;
}
if((typeof data60 == "number") && (isFinite(data60))){
if(data60 > 2147483647 || isNaN(data60)){
const err185 = {instancePath:instancePath+"/statusRetryMaxMs",schemaPath:"#/properties/statusRetryMaxMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err185];
}
else {
vErrors.push(err185);
}
errors++;
}
if(data60 < 1 || isNaN(data60)){
const err186 = {instancePath:instancePath+"/statusRetryMaxMs",schemaPath:"#/properties/statusRetryMaxMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err186];
}
else {
vErrors.push(err186);
}
errors++;
}
}
}
if(data.fileListMaxBytes !== undefined){
let data61 = data.fileListMaxBytes;
if(!(((typeof data61 == "number") && (!(data61 % 1) && !isNaN(data61))) && (isFinite(data61)))){
const err187 = {instancePath:instancePath+"/fileListMaxBytes",schemaPath:"#/properties/fileListMaxBytes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err187];
}
else {
vErrors.push(err187);
}
errors++;
}
if((typeof data61 == "number") && (isFinite(data61))){
if(data61 < 1 || isNaN(data61)){
const err188 = {instancePath:instancePath+"/fileListMaxBytes",schemaPath:"#/properties/fileListMaxBytes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err188];
}
else {
vErrors.push(err188);
}
errors++;
}
}
}
if(data.sourceConcurrency !== undefined){
let data62 = data.sourceConcurrency;
if(!(((typeof data62 == "number") && (!(data62 % 1) && !isNaN(data62))) && (isFinite(data62)))){
const err189 = {instancePath:instancePath+"/sourceConcurrency",schemaPath:"#/properties/sourceConcurrency/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err189];
}
else {
vErrors.push(err189);
}
errors++;
}
if((typeof data62 == "number") && (isFinite(data62))){
if(data62 > 256 || isNaN(data62)){
const err190 = {instancePath:instancePath+"/sourceConcurrency",schemaPath:"#/properties/sourceConcurrency/maximum",keyword:"maximum",params:{comparison: "<=", limit: 256},message:"must be <= 256"};
if(vErrors === null){
vErrors = [err190];
}
else {
vErrors.push(err190);
}
errors++;
}
if(data62 < 1 || isNaN(data62)){
const err191 = {instancePath:instancePath+"/sourceConcurrency",schemaPath:"#/properties/sourceConcurrency/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err191];
}
else {
vErrors.push(err191);
}
errors++;
}
}
}
if(data.sourceBufferBytes !== undefined){
let data63 = data.sourceBufferBytes;
if(!(((typeof data63 == "number") && (!(data63 % 1) && !isNaN(data63))) && (isFinite(data63)))){
const err192 = {instancePath:instancePath+"/sourceBufferBytes",schemaPath:"#/properties/sourceBufferBytes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err192];
}
else {
vErrors.push(err192);
}
errors++;
}
if((typeof data63 == "number") && (isFinite(data63))){
if(data63 < 4194304 || isNaN(data63)){
const err193 = {instancePath:instancePath+"/sourceBufferBytes",schemaPath:"#/properties/sourceBufferBytes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 4194304},message:"must be >= 4194304"};
if(vErrors === null){
vErrors = [err193];
}
else {
vErrors.push(err193);
}
errors++;
}
}
}
if(data.sourceMaxFileBytes !== undefined){
let data64 = data.sourceMaxFileBytes;
if(!(((typeof data64 == "number") && (!(data64 % 1) && !isNaN(data64))) && (isFinite(data64)))){
const err194 = {instancePath:instancePath+"/sourceMaxFileBytes",schemaPath:"#/properties/sourceMaxFileBytes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err194];
}
else {
vErrors.push(err194);
}
errors++;
}
if((typeof data64 == "number") && (isFinite(data64))){
if(data64 < 1 || isNaN(data64)){
const err195 = {instancePath:instancePath+"/sourceMaxFileBytes",schemaPath:"#/properties/sourceMaxFileBytes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err195];
}
else {
vErrors.push(err195);
}
errors++;
}
}
}
if(data.sourceRetryLimitMs !== undefined){
let data65 = data.sourceRetryLimitMs;
if(!(((typeof data65 == "number") && (!(data65 % 1) && !isNaN(data65))) && (isFinite(data65)))){
const err196 = {instancePath:instancePath+"/sourceRetryLimitMs",schemaPath:"#/properties/sourceRetryLimitMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err196];
}
else {
vErrors.push(err196);
}
errors++;
}
if((typeof data65 == "number") && (isFinite(data65))){
if(data65 > 2147483647 || isNaN(data65)){
const err197 = {instancePath:instancePath+"/sourceRetryLimitMs",schemaPath:"#/properties/sourceRetryLimitMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err197];
}
else {
vErrors.push(err197);
}
errors++;
}
if(data65 < 0 || isNaN(data65)){
const err198 = {instancePath:instancePath+"/sourceRetryLimitMs",schemaPath:"#/properties/sourceRetryLimitMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err198];
}
else {
vErrors.push(err198);
}
errors++;
}
}
}
if(data.sourceRetryBaseMs !== undefined){
let data66 = data.sourceRetryBaseMs;
if(!(((typeof data66 == "number") && (!(data66 % 1) && !isNaN(data66))) && (isFinite(data66)))){
const err199 = {instancePath:instancePath+"/sourceRetryBaseMs",schemaPath:"#/properties/sourceRetryBaseMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err199];
}
else {
vErrors.push(err199);
}
errors++;
}
if((typeof data66 == "number") && (isFinite(data66))){
if(data66 > 2147483647 || isNaN(data66)){
const err200 = {instancePath:instancePath+"/sourceRetryBaseMs",schemaPath:"#/properties/sourceRetryBaseMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err200];
}
else {
vErrors.push(err200);
}
errors++;
}
if(data66 < 1 || isNaN(data66)){
const err201 = {instancePath:instancePath+"/sourceRetryBaseMs",schemaPath:"#/properties/sourceRetryBaseMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err201];
}
else {
vErrors.push(err201);
}
errors++;
}
}
}
if(data.sourceRetryMaxMs !== undefined){
let data67 = data.sourceRetryMaxMs;
if(!(((typeof data67 == "number") && (!(data67 % 1) && !isNaN(data67))) && (isFinite(data67)))){
const err202 = {instancePath:instancePath+"/sourceRetryMaxMs",schemaPath:"#/properties/sourceRetryMaxMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err202];
}
else {
vErrors.push(err202);
}
errors++;
}
if((typeof data67 == "number") && (isFinite(data67))){
if(data67 > 2147483647 || isNaN(data67)){
const err203 = {instancePath:instancePath+"/sourceRetryMaxMs",schemaPath:"#/properties/sourceRetryMaxMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err203];
}
else {
vErrors.push(err203);
}
errors++;
}
if(data67 < 1 || isNaN(data67)){
const err204 = {instancePath:instancePath+"/sourceRetryMaxMs",schemaPath:"#/properties/sourceRetryMaxMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err204];
}
else {
vErrors.push(err204);
}
errors++;
}
}
}
if(data.sourceRetryAfterMaxMs !== undefined){
let data68 = data.sourceRetryAfterMaxMs;
if(!(((typeof data68 == "number") && (!(data68 % 1) && !isNaN(data68))) && (isFinite(data68)))){
const err205 = {instancePath:instancePath+"/sourceRetryAfterMaxMs",schemaPath:"#/properties/sourceRetryAfterMaxMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err205];
}
else {
vErrors.push(err205);
}
errors++;
}
if((typeof data68 == "number") && (isFinite(data68))){
if(data68 > 2147483647 || isNaN(data68)){
const err206 = {instancePath:instancePath+"/sourceRetryAfterMaxMs",schemaPath:"#/properties/sourceRetryAfterMaxMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err206];
}
else {
vErrors.push(err206);
}
errors++;
}
if(data68 < 0 || isNaN(data68)){
const err207 = {instancePath:instancePath+"/sourceRetryAfterMaxMs",schemaPath:"#/properties/sourceRetryAfterMaxMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err207];
}
else {
vErrors.push(err207);
}
errors++;
}
}
}
if(data.sourceRefuseUnverified !== undefined){
if(typeof data.sourceRefuseUnverified !== "boolean"){
const err208 = {instancePath:instancePath+"/sourceRefuseUnverified",schemaPath:"#/properties/sourceRefuseUnverified/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err208];
}
else {
vErrors.push(err208);
}
errors++;
}
}
if(data.sourceDnsTimeoutMs !== undefined){
let data70 = data.sourceDnsTimeoutMs;
if(!(((typeof data70 == "number") && (!(data70 % 1) && !isNaN(data70))) && (isFinite(data70)))){
const err209 = {instancePath:instancePath+"/sourceDnsTimeoutMs",schemaPath:"#/properties/sourceDnsTimeoutMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err209];
}
else {
vErrors.push(err209);
}
errors++;
}
if((typeof data70 == "number") && (isFinite(data70))){
if(data70 > 2147483647 || isNaN(data70)){
const err210 = {instancePath:instancePath+"/sourceDnsTimeoutMs",schemaPath:"#/properties/sourceDnsTimeoutMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err210];
}
else {
vErrors.push(err210);
}
errors++;
}
if(data70 < 1 || isNaN(data70)){
const err211 = {instancePath:instancePath+"/sourceDnsTimeoutMs",schemaPath:"#/properties/sourceDnsTimeoutMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err211];
}
else {
vErrors.push(err211);
}
errors++;
}
}
}
if(data.sourceConnectTimeoutMs !== undefined){
let data71 = data.sourceConnectTimeoutMs;
if(!(((typeof data71 == "number") && (!(data71 % 1) && !isNaN(data71))) && (isFinite(data71)))){
const err212 = {instancePath:instancePath+"/sourceConnectTimeoutMs",schemaPath:"#/properties/sourceConnectTimeoutMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err212];
}
else {
vErrors.push(err212);
}
errors++;
}
if((typeof data71 == "number") && (isFinite(data71))){
if(data71 > 2147483647 || isNaN(data71)){
const err213 = {instancePath:instancePath+"/sourceConnectTimeoutMs",schemaPath:"#/properties/sourceConnectTimeoutMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err213];
}
else {
vErrors.push(err213);
}
errors++;
}
if(data71 < 1 || isNaN(data71)){
const err214 = {instancePath:instancePath+"/sourceConnectTimeoutMs",schemaPath:"#/properties/sourceConnectTimeoutMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err214];
}
else {
vErrors.push(err214);
}
errors++;
}
}
}
if(data.sourceHeadersTimeoutMs !== undefined){
let data72 = data.sourceHeadersTimeoutMs;
if(!(((typeof data72 == "number") && (!(data72 % 1) && !isNaN(data72))) && (isFinite(data72)))){
const err215 = {instancePath:instancePath+"/sourceHeadersTimeoutMs",schemaPath:"#/properties/sourceHeadersTimeoutMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err215];
}
else {
vErrors.push(err215);
}
errors++;
}
if((typeof data72 == "number") && (isFinite(data72))){
if(data72 > 2147483647 || isNaN(data72)){
const err216 = {instancePath:instancePath+"/sourceHeadersTimeoutMs",schemaPath:"#/properties/sourceHeadersTimeoutMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err216];
}
else {
vErrors.push(err216);
}
errors++;
}
if(data72 < 1 || isNaN(data72)){
const err217 = {instancePath:instancePath+"/sourceHeadersTimeoutMs",schemaPath:"#/properties/sourceHeadersTimeoutMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err217];
}
else {
vErrors.push(err217);
}
errors++;
}
}
}
if(data.sourceIdleTimeoutMs !== undefined){
let data73 = data.sourceIdleTimeoutMs;
if(!(((typeof data73 == "number") && (!(data73 % 1) && !isNaN(data73))) && (isFinite(data73)))){
const err218 = {instancePath:instancePath+"/sourceIdleTimeoutMs",schemaPath:"#/properties/sourceIdleTimeoutMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err218];
}
else {
vErrors.push(err218);
}
errors++;
}
if((typeof data73 == "number") && (isFinite(data73))){
if(data73 > 2147483647 || isNaN(data73)){
const err219 = {instancePath:instancePath+"/sourceIdleTimeoutMs",schemaPath:"#/properties/sourceIdleTimeoutMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err219];
}
else {
vErrors.push(err219);
}
errors++;
}
if(data73 < 1 || isNaN(data73)){
const err220 = {instancePath:instancePath+"/sourceIdleTimeoutMs",schemaPath:"#/properties/sourceIdleTimeoutMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err220];
}
else {
vErrors.push(err220);
}
errors++;
}
}
}
if(data.sourceMinRateBytes !== undefined){
let data74 = data.sourceMinRateBytes;
if(!(((typeof data74 == "number") && (!(data74 % 1) && !isNaN(data74))) && (isFinite(data74)))){
const err221 = {instancePath:instancePath+"/sourceMinRateBytes",schemaPath:"#/properties/sourceMinRateBytes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err221];
}
else {
vErrors.push(err221);
}
errors++;
}
if((typeof data74 == "number") && (isFinite(data74))){
if(data74 < 0 || isNaN(data74)){
const err222 = {instancePath:instancePath+"/sourceMinRateBytes",schemaPath:"#/properties/sourceMinRateBytes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err222];
}
else {
vErrors.push(err222);
}
errors++;
}
}
}
if(data.sourceMinRateWindowMs !== undefined){
let data75 = data.sourceMinRateWindowMs;
if(!(((typeof data75 == "number") && (!(data75 % 1) && !isNaN(data75))) && (isFinite(data75)))){
const err223 = {instancePath:instancePath+"/sourceMinRateWindowMs",schemaPath:"#/properties/sourceMinRateWindowMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err223];
}
else {
vErrors.push(err223);
}
errors++;
}
if((typeof data75 == "number") && (isFinite(data75))){
if(data75 > 2147483647 || isNaN(data75)){
const err224 = {instancePath:instancePath+"/sourceMinRateWindowMs",schemaPath:"#/properties/sourceMinRateWindowMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err224];
}
else {
vErrors.push(err224);
}
errors++;
}
if(data75 < 1 || isNaN(data75)){
const err225 = {instancePath:instancePath+"/sourceMinRateWindowMs",schemaPath:"#/properties/sourceMinRateWindowMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err225];
}
else {
vErrors.push(err225);
}
errors++;
}
}
}
if(data.sourcePerHostConnections !== undefined){
let data76 = data.sourcePerHostConnections;
if(!(((typeof data76 == "number") && (!(data76 % 1) && !isNaN(data76))) && (isFinite(data76)))){
const err226 = {instancePath:instancePath+"/sourcePerHostConnections",schemaPath:"#/properties/sourcePerHostConnections/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err226];
}
else {
vErrors.push(err226);
}
errors++;
}
if((typeof data76 == "number") && (isFinite(data76))){
if(data76 > 256 || isNaN(data76)){
const err227 = {instancePath:instancePath+"/sourcePerHostConnections",schemaPath:"#/properties/sourcePerHostConnections/maximum",keyword:"maximum",params:{comparison: "<=", limit: 256},message:"must be <= 256"};
if(vErrors === null){
vErrors = [err227];
}
else {
vErrors.push(err227);
}
errors++;
}
if(data76 < 1 || isNaN(data76)){
const err228 = {instancePath:instancePath+"/sourcePerHostConnections",schemaPath:"#/properties/sourcePerHostConnections/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err228];
}
else {
vErrors.push(err228);
}
errors++;
}
}
}
if(data.sourceParkedMaxMs !== undefined){
let data77 = data.sourceParkedMaxMs;
if(!(((typeof data77 == "number") && (!(data77 % 1) && !isNaN(data77))) && (isFinite(data77)))){
const err229 = {instancePath:instancePath+"/sourceParkedMaxMs",schemaPath:"#/properties/sourceParkedMaxMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err229];
}
else {
vErrors.push(err229);
}
errors++;
}
if((typeof data77 == "number") && (isFinite(data77))){
if(data77 > 2147483647 || isNaN(data77)){
const err230 = {instancePath:instancePath+"/sourceParkedMaxMs",schemaPath:"#/properties/sourceParkedMaxMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 2147483647},message:"must be <= 2147483647"};
if(vErrors === null){
vErrors = [err230];
}
else {
vErrors.push(err230);
}
errors++;
}
if(data77 < 1 || isNaN(data77)){
const err231 = {instancePath:instancePath+"/sourceParkedMaxMs",schemaPath:"#/properties/sourceParkedMaxMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err231];
}
else {
vErrors.push(err231);
}
errors++;
}
}
}
if(data.sourceSequential !== undefined){
if(typeof data.sourceSequential !== "boolean"){
const err232 = {instancePath:instancePath+"/sourceSequential",schemaPath:"#/properties/sourceSequential/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err232];
}
else {
vErrors.push(err232);
}
errors++;
}
}
if(data.sourceCheckLimitMs !== undefined){
let data79 = data.sourceCheckLimitMs;
if(!(((typeof data79 == "number") && (!(data79 % 1) && !isNaN(data79))) && (isFinite(data79)))){
const err233 = {instancePath:instancePath+"/sourceCheckLimitMs",schemaPath:"#/properties/sourceCheckLimitMs/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err233];
}
else {
vErrors.push(err233);
}
errors++;
}
if((typeof data79 == "number") && (isFinite(data79))){
if(data79 > 60000 || isNaN(data79)){
const err234 = {instancePath:instancePath+"/sourceCheckLimitMs",schemaPath:"#/properties/sourceCheckLimitMs/maximum",keyword:"maximum",params:{comparison: "<=", limit: 60000},message:"must be <= 60000"};
if(vErrors === null){
vErrors = [err234];
}
else {
vErrors.push(err234);
}
errors++;
}
if(data79 < 0 || isNaN(data79)){
const err235 = {instancePath:instancePath+"/sourceCheckLimitMs",schemaPath:"#/properties/sourceCheckLimitMs/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err235];
}
else {
vErrors.push(err235);
}
errors++;
}
}
}
if(data.sourceUserAgent !== undefined){
let data80 = data.sourceUserAgent;
if(typeof data80 === "string"){
if(func2(data80) < 1){
const err236 = {instancePath:instancePath+"/sourceUserAgent",schemaPath:"#/properties/sourceUserAgent/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err236];
}
else {
vErrors.push(err236);
}
errors++;
}
if(!pattern2.test(data80)){
const err237 = {instancePath:instancePath+"/sourceUserAgent",schemaPath:"#/properties/sourceUserAgent/pattern",keyword:"pattern",params:{pattern: "^[\\x20-\\x7e]+$"},message:"must match pattern \""+"^[\\x20-\\x7e]+$"+"\""};
if(vErrors === null){
vErrors = [err237];
}
else {
vErrors.push(err237);
}
errors++;
}
}
else {
const err238 = {instancePath:instancePath+"/sourceUserAgent",schemaPath:"#/properties/sourceUserAgent/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err238];
}
else {
vErrors.push(err238);
}
errors++;
}
}
}
else {
const err239 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err239];
}
else {
vErrors.push(err239);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}
